"use strict";
/* Boards of both games: drawing, playing a move, and a player that steps through moves. */

const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function html(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/* The piece field of a FEN as rows of squares, top rank first; "" is an empty square. */
function cellsOf(fen) {
  return fen.split(" ")[0].split("/").map((row) =>
    row.match(/\d{1,2}|./g).flatMap((token) => (/\d/.test(token) ? Array(+token).fill("") : [token])));
}

function rowsOf(cells) {
  return cells.map((row) => row.map((cell) => cell || "1").join("").replace(/1+/g, (run) => run.length)).join("/");
}

function squaresOf(move) {
  const found = /^([a-z])(\d+)([a-z])(\d+)/.exec(move || "");
  return found && { from: [+found[2], found[1].charCodeAt(0) - 97], to: [+found[4], found[3].charCodeAt(0) - 97] };
}

/* The position after a move of Troyka's game; Freeling's explosions come as ready boards. */
function after(fen, move) {
  const cells = cellsOf(fen), squares = squaresOf(move), height = cells.length;
  if (squares) {
    const [fr, fc] = squares.from, [tr, tc] = squares.to;
    cells[height - tr][tc] = cells[height - fr][fc];
    cells[height - fr][fc] = "";
  }
  return rowsOf(cells) + (fen.split(" ")[1] === "w" ? " b" : " w");
}

function positionsOf(start, moves, boards) {
  if (boards && boards.length) return [start, ...boards];
  const all = [start];
  for (const move of moves) all.push(after(all[all.length - 1], move));
  return all;
}

class Board {
  constructor(host, variant) {
    this.host = host;
    this.freeling = variant === "freeling";
    this.flipped = false;
    this.size = 48;
  }

  corner(rank, column) {
    const row = this.flipped ? rank - 1 : this.height - rank;
    return [18 + (this.flipped ? this.width - 1 - column : column) * this.size, row * this.size + 4];
  }

  draw(fen, { move = null, arrow = null } = {}) {
    const cells = cellsOf(fen);
    this.height = cells.length;
    this.width = cells[0].length;
    const w = this.width * this.size + 22, h = this.height * this.size + 24;
    const svg = make("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": "board: " + fen });
    svg.classList.add("board");
    svg.style.maxWidth = `${w * 1.25}px`;
    const marked = squaresOf(move);
    for (let rank = 1; rank <= this.height; rank++)
      for (let column = 0; column < this.width; column++) this.square(svg, rank, column, marked);
    this.labels(svg);
    for (let rank = 1; rank <= this.height; rank++)
      for (let column = 0; column < this.width; column++) {
        const man = cells[this.height - rank][column];
        if (man) this.man(svg, rank, column, man);
      }
    const pointed = squaresOf(arrow);
    if (pointed) this.arrow(svg, pointed);
    this.host.replaceChildren(svg);
  }

  square(svg, rank, column, marked) {
    const [x, y] = this.corner(rank, column), s = this.size;
    const dark = (rank + column) % 2 === 1;
    svg.append(make("rect", { x, y, width: s, height: s, fill: dark ? "var(--sq-dark)" : "var(--sq-light)" }));
    if (rank === 1 || rank === this.height) svg.append(make("rect", { x, y, width: s, height: s, fill: "var(--goal)" }));
    if (this.freeling && (rank === 3 || rank === 7))
      for (const at of [0.2, 0.5, 0.8])
        svg.append(make("line", { x1: x, x2: x + s, y1: y + s * at, y2: y + s * at, stroke: "var(--sq-line)", "stroke-width": 3, opacity: 0.55 }));
    const hit = marked && [marked.from, marked.to].some(([r, c]) => r === rank && c === column);
    if (hit) svg.append(make("rect", { x, y, width: s, height: s, fill: "var(--mark)" }));
  }

  labels(svg) {
    const style = { fill: "var(--muted)", "font-size": 12, "font-family": "system-ui, sans-serif" };
    for (let rank = 1; rank <= this.height; rank++) {
      const [, y] = this.corner(rank, 0);
      svg.append(make("text", { x: 8, y: y + this.size / 2 + 4, "text-anchor": "middle", ...style }, rank));
    }
    for (let column = 0; column < this.width; column++) {
      const [x] = this.corner(1, column);
      const letter = String.fromCharCode(97 + column);
      svg.append(make("text", { x: x + this.size / 2, y: this.height * this.size + 19, "text-anchor": "middle", ...style }, letter));
    }
  }

  man(svg, rank, column, man) {
    const [x, y] = this.corner(rank, column), s = this.size;
    const white = man === man.toUpperCase(), pair = man.toLowerCase() === "d";
    const fill = white ? "var(--man-w)" : "var(--man-b)", stroke = white ? "var(--man-w-edge)" : "var(--man-b-edge)";
    const group = make("g", { class: "man", "data-man": man, "data-square": String.fromCharCode(97 + column) + rank });
    for (const shift of pair ? [-0.1, 0.1] : [0]) {
      const cx = x + s * (0.5 + shift), cy = y + s * (0.5 - shift);
      group.append(make("circle", { cx, cy: cy + 1.6, r: s * 0.34, fill: "#000", opacity: 0.22 }));
      group.append(make("circle", { cx, cy, r: s * 0.34, fill, stroke, "stroke-width": 1.8 }));
      group.append(make("circle", { cx, cy, r: s * 0.21, fill: "none", stroke: white ? stroke : "#8d949e", "stroke-width": 1.3, opacity: 0.6 }));
    }
    svg.append(group);
  }

  arrow(svg, { from, to }) {
    const s = this.size, [x1, y1] = this.corner(...from).map((v) => v + s / 2), [x2, y2] = this.corner(...to).map((v) => v + s / 2);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    const bx = x2 - ux * 15, by = y2 - uy * 15;
    const group = make("g", { opacity: 0.85 });
    group.append(make("line", { x1: x1 + ux * 8, y1: y1 + uy * 8, x2: bx, y2: by, stroke: "var(--arrow)", "stroke-width": 6, "stroke-linecap": "round" }));
    const points = [[x2, y2], [bx - uy * 10, by + ux * 10], [bx + uy * 10, by - ux * 10]].map((p) => p.join(",")).join(" ");
    group.append(make("polygon", { points, fill: "var(--arrow)" }));
    svg.append(group);
  }
}

/* Steps through positions. `show(ply)` is told to `changed`; the caller fills in the rest. */
class Player {
  constructor(host, variant, changed) {
    this.box = html("div", "boardbox");
    this.bar = html("div", "controls");
    host.replaceChildren(this.box, this.bar);
    this.board = new Board(this.box, variant);
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
    this.turn = button("⇅", "turn the board", () => { this.board.flipped = !this.board.flipped; this.show(this.ply); });
    this.timer = null;
  }

  load(start, moves, boards, ply = 0, arrows = null) {
    this.stop();
    this.moves = moves;
    this.arrows = arrows;
    this.positions = positionsOf(start, moves, boards);
    this.show(ply);
  }

  show(ply) {
    this.ply = Math.max(0, Math.min(ply, this.moves.length));
    const arrow = this.arrows ? this.arrows[this.ply] : null;
    this.board.draw(this.positions[this.ply], { move: this.ply ? this.moves[this.ply - 1] : null, arrow });
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
  const svg = make("svg", { viewBox: `0 0 ${w} ${h}`, class: "chart graph", role: "img", "aria-label": "White's win probability" });
  for (const p of [0, 0.5, 1]) {
    svg.append(make("line", { x1: left, x2: w - right, y1: y(p), y2: y(p), class: p === 0.5 ? "zero" : "axis" }));
    svg.append(make("text", { x: left - 6, y: y(p) + 4, "text-anchor": "end" }, `${p * 100}%`));
  }
  for (const [index, { values, colour, marks = [] }] of series.entries()) {
    const points = values.map((value, ply) => (value === null || value === undefined ? null : [x(ply), y(value)]));
    const line = points.filter(Boolean).map((point) => point.join(",")).join(" ");
    if (index === 0 && line) svg.append(make("polygon", { points: `${points.find(Boolean)[0]},${y(0.5)} ${line} ${points.filter(Boolean).at(-1)[0]},${y(0.5)}`, fill: colour, opacity: 0.13 }));
    svg.append(make("polyline", { points: line, fill: "none", stroke: colour, "stroke-width": 2, "stroke-linejoin": "round" }));
    for (const { ply, colour: dot, title } of marks)
      if (points[ply]) {
        const circle = make("circle", { cx: points[ply][0], cy: points[ply][1], r: 4, fill: dot, stroke: "var(--card)", "stroke-width": 1.5 });
        circle.append(make("title", {}, title));
        svg.append(circle);
      }
  }
  for (let ply = 0; ply <= count; ply += Math.max(10, Math.ceil(count / 60) * 10))
    svg.append(make("text", { x: x(ply), y: h - 4, "text-anchor": "middle" }, ply));
  const cursor = make("line", { y1: top, y2: h - bottom, class: "cursor" });
  svg.append(cursor);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    choose(Math.round((((event.clientX - box.left) / box.width) * w - left) / (w - left - right) * count));
  });
  host.replaceChildren(svg);
  return (ply) => { cursor.setAttribute("x1", x(ply)); cursor.setAttribute("x2", x(ply)); };
}

function winChance(score, scale) {
  if (!score) return null;
  if (score.includes("M")) return score[0] === "-" ? 0 : 1;
  return 1 / (1 + 10 ** (-(+score * 100) / scale));
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
