import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import {
  CertificateError,
  isCertificate,
  moveIn,
  readCertificate,
} from "../../js/model/certificate.js";
import { play } from "../../js/rules/apply.js";
import { parseFen } from "../../js/rules/picture.js";

const fileOf = (/** @type {string} */ board) =>
  new URL(`../../../docs/certificates/${board}.proof`, import.meta.url);
const file = fileOf("5x6");

/** Boards whose positions fit into 64 bits, and one whose positions do not. */
for (const board of ["5x6", "9x5"])
  test(`the certificate of ${board} has the winner's moves, mirrored too`, async () => {
    const bytes = new Uint8Array(await readFile(fileOf(board)));
    assert.ok(isCertificate(bytes));
    const certificate = await readCertificate(bytes);
    let [one, other] = [parseFen(certificate.fen), parseFen(certificate.fen)];
    const files = "abcdefghi".slice(0, one.width);
    const mirror = (/** @type {string} */ text) =>
      text.replace(/[a-i]/g, (file) => files[one.width - 1 - files.indexOf(file)]);
    const make = (/** @type {string} */ move) => {
      one = play(one, move).picture;
      other = play(other, mirror(move)).picture;
    };
    // The loser's pieces on the a-file step on, whatever the winner does.
    const steps =
      certificate.winner === "white" ? [`a${one.height - 1}a${one.height - 2}`] : ["a2a3"];
    for (const step of steps) {
      if (one.white === (certificate.winner === "white")) {
        const move = moveIn(certificate, one);
        assert.match(move ?? "", /^[a-i]\d[a-i]\d$/);
        make(move ?? "");
      }
      make(step);
    }
    // After each side's mirrored moves, the answer is the mirrored one.
    const answer = moveIn(certificate, one);
    assert.ok(answer);
    assert.equal(moveIn(certificate, other), mirror(answer));
  });

test("a damaged certificate is refused", async () => {
  const bytes = new Uint8Array(await readFile(file));
  bytes[bytes.length >> 1] ^= 1;
  await assert.rejects(readCertificate(bytes), CertificateError);
  await assert.rejects(readCertificate(bytes.subarray(0, 60)), CertificateError);
});
