/* The list of games and the one that is replayed. */
(function () {
  const data = readData(), byId = (id) => document.getElementById(id);
  let game = null, markMove = () => {}, markPly = () => {};

  const player = new Player(byId("player"), (ply) => {
    markMove(ply);
    markPly(ply);
    const at = ply - 1 - (game ? game.book : 0), note = game && at >= 0 ? game.log[at] : null;
    const said = note ? [note[1] !== null ? `score ${note[1]}` : "", note[2] !== null ? `depth ${note[2]}` : "", `${note[0]} ms`].filter(Boolean).join(", ") : ply ? "from the opening" : "start of the game";
    byId("status").textContent = game ? `ply ${ply} of ${game.moves.length}: ${ply ? game.moves[ply - 1] + ", " : ""}${said}` + (ply === game.moves.length ? `. ${game.result}: ${game.reason}` : "") : "";
  });
  onKeys(() => player);

  function curves() {
    /* Each engine's own word, seen from White, at the position before its move. */
    const values = [Array(game.moves.length + 1).fill(null), Array(game.moves.length + 1).fill(null)];
    const white = game.fen.split(" ")[1] === "w";
    game.log.forEach((note, index) => {
      const ply = index + game.book, side = (ply % 2 === 0) === white ? 0 : 1, chance = note[3];
      if (chance !== null) values[side][ply] = side ? 1 - chance : chance;
    });
    return [{ values: values[0], colour: "var(--s0)" }, { values: values[1], colour: "var(--s1)" }];
  }

  function open(index, ply = 0) {
    game = data.games[index];
    const name = (side, colour, text, score) => {
      const node = html("span");
      const line = html("span", "swatch");
      line.style.background = colour;
      node.append(html("span", "dot " + side), `${text} `, line);
      node.title = "the swatch is the colour of this engine's curve";
      return node;
    };
    byId("names").replaceChildren(name("w", "var(--s0)", game.white), html("span", "muted", game.result), name("b", "var(--s1)", game.black));
    markPly = chanceGraph(byId("graph"), curves(), game.moves.length, (to) => player.show(to));
    markMove = moveList(byId("moves"), game.fen, game.moves, (to) => {
      const note = game.log[to - 1 - game.book];
      return { text: note ? note[1] || "" : "book" };
    }, (to) => player.show(to));
    player.load(game.fen, game.moves, data.variant, ply);
    for (const row of byId("rows").children) row.classList.toggle("on", +row.dataset.index === index);
  }

  function list() {
    const who = byId("who").value, how = byId("how").value, rows = byId("rows");
    rows.replaceChildren();
    let shown = 0;
    data.games.forEach((one, index) => {
      if (who && one.white !== who && one.black !== who) return;
      if (how && (how === "fault" ? !one.fault : one.result !== how)) return;
      shown++;
      const row = html("tr", data.games[index] === game ? "on" : "");
      row.dataset.index = index;
      row.append(html("td", "n", one.number), html("td", "", one.white), html("td", "", one.black), html("td", "", one.result),
        html("td", "n", one.moves.length), html("td", "muted", one.opening), html("td", one.fault ? "bad" : "muted", one.reason));
      row.addEventListener("click", () => { open(index); byId("player").scrollIntoView({ behavior: "smooth", block: "nearest" }); });
      rows.append(row);
    });
    byId("shown").textContent = `${shown} of ${data.games.length} games`;
  }

  byId("who").addEventListener("change", list);
  byId("how").addEventListener("change", list);
  list();
  if (data.games.length) open(0, Math.min(12, data.games[0].moves.length));
})();
