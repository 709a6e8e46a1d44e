import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { openPage } from "../support/browser.mjs";
import { bundle } from "../support/bundle.mjs";

test("the board in one file, without a server", async (t) => {
  const it = await openPage();
  t.after(() => it.close());
  const script = await bundle();
  const style = await readFile(new URL("../../css/board.css", import.meta.url), "utf8");
  const file = join(await mkdtemp(join(tmpdir(), "board-")), "report.html");
  await writeFile(
    file,
    `<!doctype html><html><head><style>${style}</style></head><body><div id="host" style="width:300px"></div><script>${script}
const board = new Board(document.getElementById("host"), "A position");
const before = parseFen("ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1", "freeling");
const { picture, moved, chain } = play(before, "b2a1");
board.show({ picture, moved, chain, last: "b2a1" });
</script></body></html>`,
  );
  await it.page.goto(pathToFileURL(file).href);
  assert.equal(await it.page.locator(".badge.explosion").count(), 2);
  assert.equal(await it.page.getAttribute('[data-square="b1"]', "aria-label"), "b1 white 2 pieces");
  assert.deepEqual(it.faults, []);
});
