/**
 * First lessons: positions with White to move, and all the moves that win. The tests have the engine
 * prove every one of them, and every other move a loss.
 */

/**
 * @typedef {object} Task
 * @property {string} fen
 * @property {string[]} wins the moves that win, all of them
 * @property {string} ask
 * @property {string} right what to learn from it
 * @property {string} [fails] what a wrong move does not do, if not to win
 */
/** @typedef {{id: string, title: string, text: string, tasks: Task[]}} Lesson */

/** @type {Lesson[]} */
export const LESSONS = [
  {
    id: "step",
    title: "Stepping",
    text:
      "A piece moves one square forward, straight or diagonally. Whoever first puts a piece on " +
      "the last rank wins.",
    tasks: [
      {
        fen: "p4/2P2/5/5/5 w 0 1",
        wins: ["c4b5", "c4c5", "c4d5"],
        ask: "Step onto the last rank.",
        right: "One piece on the last rank wins the game, however many are left.",
      },
      {
        fen: "2p2/2P2/4p/5/5 w 0 1",
        wins: ["c4b5", "c4d5"],
        ask: "The way straight ahead is blocked. Win all the same.",
        right: "A piece straight ahead is in the way, but it cannot capture you either.",
      },
    ],
  },
  {
    id: "take",
    title: "Taking",
    text: "A piece captures diagonally forward, never straight ahead. You need not capture.",
    tasks: [
      {
        fen: "5/1p3/5/Pp3/2P2/5 w 0 1",
        wins: ["c2b3"],
        ask: "Black is two steps from your home rank. Stop that piece.",
        fails: "does not stop it",
        right: "Taken, and your piece is a step further on.",
      },
      {
        fen: "5/3pp/4P/pP3/P4/5 w 0 1",
        wins: ["e4d5"],
        ask: "Capture your way to the last rank.",
        right: "A capture moves forward like a step. Black is too late now.",
      },
    ],
  },
  {
    id: "race",
    title: "The race",
    text: "Where nobody can stop anybody, count: who needs fewer moves, and whose turn is it?",
    tasks: [
      {
        fen: "5/p4/P4/1p3/5/1P3 w 0 1",
        wins: ["a4b5"],
        ask: "You need two moves, and so does Black. It is your turn.",
        right: "Two moves against two, and you are first. Any other move loses the race.",
      },
      {
        fen: "2p2/5/p1P2/p2P1/5/5 w 0 1",
        wins: ["c4c5"],
        ask: "Black guards b5 and d5. Find the square where your runner cannot be taken.",
        right: "Right under the enemy piece: it captures diagonally only.",
      },
    ],
  },
  {
    id: "sacrifice",
    title: "The breakthrough",
    text: "A piece that is given away draws a defender from its place, and another gets through.",
    tasks: [
      {
        fen: "3p1/3p1/3P1/4P/5/5 w 0 1",
        wins: ["e3e4"],
        ask: "Offer a piece, and the way is open.",
        right: "If Black takes on e4, d5 is free. If not, your two pieces get through together.",
      },
      {
        fen: "1pp2/p4/PP1p1/5/5/2P2 w 0 1",
        wins: ["b4b5"],
        ask: "Black is about to get through on the left and on the right. Be faster.",
        right: "Whatever takes on b5, your piece on a4 takes back and cannot be stopped.",
      },
    ],
  },
  {
    id: "pair",
    title: "Blocking in pairs",
    text: "Two pieces side by side guard all the squares before them: one takes where the other stands.",
    tasks: [
      {
        fen: "2p2/2p2/2Pp1/5/3P1/2P2 w 0 1",
        wins: ["c1c2"],
        ask: "The piece on d4 wants to get through. Make a pair that stops it.",
        fails: "does not stop it",
        right: "Now c3, d3 and e3 are all guarded.",
      },
      {
        fen: "3p1/3p1/1p1P1/5/1P3/2P2 w 0 1",
        wins: ["c1c2"],
        ask: "The same against the piece on b4.",
        fails: "does not stop it",
        right: "Side by side, b2 and c2 guard a3, b3 and c3.",
      },
    ],
  },
  {
    id: "tempo",
    title: "Tempo",
    text: "Nobody may pass. Often the side that runs out of good moves has to give something up.",
    tasks: [
      {
        fen: "5/4p/4p/4P/5/2P2 w 0 1",
        wins: ["c1c2"],
        ask: "Wait so that Black has to step into your capture.",
        right: "Black has one piece that can move, and you take it wherever it goes.",
      },
      {
        fen: "5/2p2/2p2/2P2/5/1P3 w 0 1",
        wins: ["b1c2"],
        ask: "Again: one quiet step, and every Black move loses a piece.",
        right: "A quiet move that keeps everything guarded is worth more than a step forward.",
      },
    ],
  },
];
