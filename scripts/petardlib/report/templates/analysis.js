/* Games with their judgement, and positions with their lines. */
(function () {
  const data = readData(), byId = (id) => document.getElementById(id);
  const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
  const COLOURS = { inaccuracy: "var(--warn)", mistake: "var(--mistake)", blunder: "var(--bad)" };
  const percent = (value, digits = 1) => (value === null ? "–" : `${(100 * value).toFixed(digits)}%`);

  /* A missed win may be one of unknown length, which is 0. */
  const isMissed = (one) => one.missed !== null;

  /* A line of play whose moves can be clicked; `show(start, moves, ply)` puts it on a board. */
  function lineNode(line, start, show) {
    const row = html("div", "line"), pv = html("div", "pv");
    const chip = html("span", "chip", line.score);
    chip.title = `win probability ${percent(line.chance)}, depth ${line.depth}, ${line.nodes.toLocaleString("en")} nodes`;
    line.pv.forEach((move, index) => {
      const node = html("span", "mv", move);
      node.addEventListener("click", () => {
        for (const other of document.querySelectorAll(".pv .mv.on")) other.classList.remove("on");
        node.classList.add("on");
        show(start, line.pv, index + 1);
      });
      pv.append(node);
    });
    row.append(chip, pv);
    return row;
  }

  function games() {
    let game = null, judge = null, starts = [], markMove = () => {}, markPly = () => {}, variation = false;
    const player = new Player(byId("player"), (ply) => {
      if (variation) return;
      markMove(ply);
      markPly(ply);
      describe(ply);
    });
    onKeys(() => player);

    function describe(ply) {
      const played = ply ? judge.plies[ply - 1] : null;
      let text = ply ? `ply ${ply}: ${played.move}` : "start position";
      if (played) {
        text += played.mark === "best" ? ", the best move" : `, ${played.mark}`;
        if (played.loss >= 0.0005) text += `, lost ${percent(played.loss)}`;
        if (played.move !== played.best) text += `; best was ${played.best}`;
        if (isMissed(played)) text += played.missed ? `; a win in ${played.missed} was missed` : "; a proven win was given away";
      }
      byId("status").textContent = text + (ply === game.moves.length && game.result ? `. ${game.result}: ${game.reason}` : "");
      const box = byId("lines");
      box.replaceChildren();
      const look = (index, title) => {
        const lines = judge.lines[index];
        if (!lines || !lines.length) return;
        box.append(html("h3", "muted", title));
        for (const line of lines) box.append(lineNode(line, starts[index], branch(index)));
      };
      if (played && played.move !== played.best) look(ply - 1, `better than ${played.move}`);
      look(ply, "from here");
    }

    const branch = (index) => (start, pv, ply) => {
      variation = true;
      player.load(start, pv, game.variant, ply);
      byId("status").textContent = `best line at ply ${index}; click a move of the game to return`;
    };

    function home(ply) {
      if (variation) {
        variation = false;
        player.load(game.fen, game.moves, game.variant, ply, judge.arrows);
      } else player.show(ply);
    }

    function open() {
      game = data.games[+byId("which").value];
      judge = game.engines[+byId("engine").value] || game.engines[0];
      starts = positionsOf(game.fen, game.moves, game.variant).map(({ picture }) => petard.fenOf(picture));
      byId("end").textContent = game.result ? `${game.result}, ${game.reason}` : "not finished";
      const dot = (side, name) => { const node = html("span"); node.append(html("span", "dot " + side), name); return node; };
      byId("names").replaceChildren(dot("w", game.white), html("span", "muted", game.result || ""), dot("b", game.black));
      const sums = byId("sums");
      sums.replaceChildren();
      judge.sides.forEach((side, index) => {
        const row = html("tr");
        row.append(html("td", "", index ? "Black" : "White"), html("td", "n", side.accuracy === null ? "–" : `${side.accuracy.toFixed(1)}%`));
        for (const key of ["best", "inaccuracy", "mistake", "blunder", "missed"]) row.append(html("td", "n", side[key]));
        sums.append(row);
      });
      const marks = judge.plies.map((one, index) => ({ ply: index + 1, colour: isMissed(one) ? "var(--pink)" : COLOURS[one.mark], title: `${one.move}: ${isMissed(one) ? "missed win" : one.mark}` })).filter((one) => one.colour);
      const others = game.engines.filter((one) => one !== judge);
      const colours = new Map(game.engines.map((one, index) => [one, `var(--s${index % 8})`]));
      markPly = chanceGraph(byId("graph"), [{ values: judge.curve, colour: colours.get(judge), marks }, ...others.map((one) => ({ values: one.curve, colour: colours.get(one) }))], game.moves.length, home);
      byId("legend").replaceChildren(html("span", "", "White's win probability:"), ...game.engines.map((one) => {
        const node = html("span"), box = html("span", "swatch");
        box.style.background = colours.get(one);
        node.append(box, one.name);
        return node;
      }), ...Object.entries({ ...COLOURS, "missed win": "var(--pink)" }).map(([name, colour]) => {
        const node = html("span"), box = html("span", "swatch");
        box.style.cssText = `background:${colour};border-radius:50%`;
        node.append(box, name);
        return node;
      }));
      markMove = moveList(byId("moves"), game.fen, game.moves, (ply) => {
        const one = judge.plies[ply - 1];
        return { text: percent(one.chance, 0), mark: isMissed(one) ? "m-win" : `m-${one.mark}`, sign: (SIGNS[one.mark] || "") + (isMissed(one) ? " ✕win" : "") };
      }, home);
      variation = false;
      player.load(game.fen, game.moves, game.variant, 0, judge.arrows);
    }

    const jump = (step) => {
      const bad = (ply) => ply >= 1 && ply <= game.moves.length && (isMissed(judge.plies[ply - 1]) || ["mistake", "blunder"].includes(judge.plies[ply - 1].mark));
      let ply = variation ? 0 : player.ply;
      do ply += step; while (ply >= 1 && ply <= game.moves.length && !bad(ply));
      if (bad(ply)) home(ply);
    };
    byId("prior").addEventListener("click", () => jump(-1));
    byId("after").addEventListener("click", () => jump(1));
    byId("which").addEventListener("change", open);
    byId("engine").addEventListener("change", open);
    open();
    const worst = judge.plies.findIndex((one) => one.mark === "blunder" || isMissed(one));
    if (worst >= 0) home(worst + 1);
  }

  function positions() {
    for (const one of data.positions) {
      const card = html("article", "card"), head = html("h3", "", one.title + " "), host = html("div"), lines = html("div");
      card.append(head, host);
      const player = new Player(host);
      const first = one.engines.find((engine) => engine.lines.length);
      player.bar.hidden = !first;
      const show = (start, pv, ply) => player.load(start, pv, one.variant, ply);
      const side = one.fen.split(" ")[1] === "w" ? "White" : "Black";
      card.append(html("p", "muted", one.result ? `over: ${one.result}, ${one.reason}` : `${side} to move${one.asked ? `; ${one.asked}` : ""}`), lines);
      for (const engine of one.engines) {
        const title = html("div");
        title.append(html("b", "", engine.name + " "), engine.solved === null ? "" : html("span", engine.solved ? "tag yes" : "tag no", engine.solved ? "solved" : "not solved"));
        if (engine.lines.length) lines.append(title);
        for (const line of engine.lines) lines.append(lineNode(line, one.fen, show));
      }
      if (first) player.load(one.fen, first.lines[0].pv, one.variant, 0, [first.best]);
      else player.load(one.fen, [], one.variant);
      byId("positions").append(card);
    }
  }

  if (data.games.length) games();
  if (data.positions.length) positions();
})();
