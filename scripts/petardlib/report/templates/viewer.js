"use strict";
/* What both reports need beside the board: a player that steps through moves, lists, graphs. */

function html(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/* The positions of a game or a line, each with the move and the explosions that led to it. */
function positionsOf(start, moves, variant) {
  let picture = petard.parseFen(start, variant === "freeling" ? "freeling" : "breakthrough");
  const all = [{ picture, last: null }];
  for (const move of moves) {
    const { picture: next, moved, chain } = petard.play(picture, move);
    all.push({ picture: next, last: move, moved, chain });
    picture = next;
  }
  return all;
}

/* Steps through positions. `show(ply)` calls `changed`; the caller fills in the rest. */
class Player {
  constructor(host, changed) {
    this.box = html("div", "boardbox");
    this.bar = html("div", "controls");
    host.replaceChildren(this.box, this.bar);
    this.board = new petard.Board(this.box);
    this.flipped = false;
    this.changed = changed || (() => {});
    const button = (label, title, act) => {
      const node = html("button", "", label);
      node.type = "button";
      node.title = title;
      node.setAttribute("aria-label", title);
      node.addEventListener("click", act);
      this.bar.append(node);
      return node;
    };
    this.first = button("|◀", "start", () => this.show(0));
    this.back = button("◀", "back", () => this.show(this.ply - 1));
    this.run = button("▷", "play", () => this.toggle());
    this.next = button("▶", "forward", () => this.show(this.ply + 1));
    this.last = button("▶|", "end", () => this.show(this.moves.length));
    this.turn = button("⇅", "flip the board", () => { this.flipped = !this.flipped; this.show(this.ply); });
    this.timer = null;
  }

  load(start, moves, variant, ply = 0, arrows = null) {
    this.stop();
    this.moves = moves;
    this.arrows = arrows;
    this.positions = positionsOf(start, moves, variant);
    this.ply = null;
    this.show(ply);
  }

  show(ply) {
    const before = this.ply;
    this.ply = Math.max(0, Math.min(ply, this.moves.length));
    const arrow = this.arrows ? this.arrows[this.ply] : null;
    const position = this.positions[this.ply];
    this.box.style.setProperty("--files", position.picture.width);
    this.board.show({
      ...position,
      flipped: this.flipped,
      animate: before !== null && this.ply === before + 1,
      arrows: arrow ? [{ move: arrow, kind: "best" }] : [],
    });
    this.first.disabled = this.back.disabled = this.ply === 0;
    this.next.disabled = this.last.disabled = this.ply === this.moves.length;
    if (this.ply === this.moves.length) this.stop();
    this.changed(this.ply);
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.ply === this.moves.length) this.show(0);
    this.timer = setInterval(() => this.show(this.ply + 1), 700);
    this.run.textContent = "||";
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.run.textContent = "▷";
  }
}

function onKeys(player) {
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const step = { ArrowLeft: player().ply - 1, ArrowRight: player().ply + 1, Home: 0, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    player().show(step);
  });
}

/* The moves of a game in two columns; `extra(ply)` gives a small text and a class for each. */
function moveList(host, start, moves, extra, choose) {
  host.replaceChildren();
  const parts = start.split(" ");
  let white = parts[1] === "w", number = +parts[parts.length - 1] || 1;
  const nodes = [];
  if (!white) host.append(html("span", "no", number + "."), html("span"));
  moves.forEach((move, index) => {
    if (white) host.append(html("span", "no", number + "."));
    const { text = "", mark = "", sign = "" } = extra(index + 1) || {};
    const node = html("span", "mv");
    node.append(html("span", mark, move + sign), html("small", "", text));
    node.addEventListener("click", () => choose(index + 1));
    host.append(node);
    nodes.push(node);
    if (!white) number++;
    white = !white;
  });
  return (ply) => nodes.forEach((node, index) => {
    node.classList.toggle("on", index + 1 === ply);
    if (index + 1 === ply) host.scrollTop = node.offsetTop - host.offsetTop - host.clientHeight / 2;
  });
}

/* White's win probability over a game: lines of values from 0 to 1, null where nothing is known. */
function chanceGraph(host, series, count, choose) {
  const w = Math.max(320, host.clientWidth || 600), h = w > 800 ? 200 : 150, left = 42, right = 10, top = 8, bottom = 20;
  const x = (ply) => left + (count ? ply / count : 0) * (w - left - right), y = (p) => top + (1 - p) * (h - top - bottom);
  const svg = petard.svg("svg", { viewBox: `0 0 ${w} ${h}`, class: "chart graph", role: "img", "aria-label": "White's win probability" });
  for (const p of [0, 0.5, 1]) {
    svg.append(petard.svg("line", { x1: left, x2: w - right, y1: y(p), y2: y(p), class: p === 0.5 ? "zero" : "axis" }));
    svg.append(petard.svg("text", { x: left - 6, y: y(p) + 4, "text-anchor": "end" }, `${p * 100}%`));
  }
  for (const [index, { values, colour, marks = [] }] of series.entries()) {
    const points = values.map((value, ply) => (value === null || value === undefined ? null : [x(ply), y(value)]));
    const line = points.filter(Boolean).map((point) => point.join(",")).join(" ");
    if (index === 0 && line) svg.append(petard.svg("polygon", { points: `${points.find(Boolean)[0]},${y(0.5)} ${line} ${points.filter(Boolean).at(-1)[0]},${y(0.5)}`, fill: colour, opacity: 0.13 }));
    svg.append(petard.svg("polyline", { points: line, fill: "none", stroke: colour, "stroke-width": 2, "stroke-linejoin": "round" }));
    for (const { ply, colour: dot, title } of marks)
      if (points[ply]) {
        const circle = petard.svg("circle", { cx: points[ply][0], cy: points[ply][1], r: 4, fill: dot, stroke: "var(--card)", "stroke-width": 1.5 });
        circle.append(petard.svg("title", {}, title));
        svg.append(circle);
      }
  }
  for (let ply = 0; ply <= count; ply += Math.max(10, Math.ceil(count / 60) * 10))
    svg.append(petard.svg("text", { x: x(ply), y: h - 4, "text-anchor": "middle" }, ply));
  const cursor = petard.svg("line", { y1: top, y2: h - bottom, class: "cursor" });
  svg.append(cursor);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    choose(Math.round((((event.clientX - box.left) / box.width) * w - left) / (w - left - right) * count));
  });
  host.replaceChildren(svg);
  return (ply) => { cursor.setAttribute("x1", x(ply)); cursor.setAttribute("x2", x(ply)); };
}

function readData() {
  return JSON.parse(document.getElementById("data").textContent);
}

(function theme() {
  const root = document.documentElement, media = matchMedia("(prefers-color-scheme: dark)");
  const set = (name) => root.setAttribute("data-theme", name);
  set(media.matches ? "dark" : "light");
  media.addEventListener("change", () => set(media.matches ? "dark" : "light"));
  document.getElementById("theme").addEventListener("click", () => set(root.dataset.theme === "dark" ? "light" : "dark"));
})();
