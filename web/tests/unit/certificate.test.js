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

const file = new URL("../../../docs/certificates/5x6.proof", import.meta.url);

test("a certificate is read, and has the winner's moves, mirrored too", async () => {
  const bytes = new Uint8Array(await readFile(file));
  assert.ok(isCertificate(bytes));
  const certificate = await readCertificate(bytes);
  const start = parseFen(certificate.fen);
  assert.equal(certificate.winner, start.white ? "white" : "black");
  const move = moveIn(certificate, start);
  assert.match(move ?? "", /^[a-e]2[a-e]3$/);
  // After each side's mirrored moves, the answer is the mirrored one.
  const mirror = (/** @type {string} */ text) =>
    text.replace(/[a-e]/g, (file) => "edcba"["abcde".indexOf(file)]);
  let [one, other] = [play(start, move ?? "").picture, play(start, mirror(move ?? "")).picture];
  [one, other] = [play(one, "a5a4").picture, play(other, "e5e4").picture];
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
