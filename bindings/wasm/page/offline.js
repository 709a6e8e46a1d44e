/** Has this browser cache the page and the engine that it uses. */

async function keep() {
  if (!("serviceWorker" in navigator)) return;
  const files = await (await fetch(new URL("engine/petard.json", import.meta.url))).json();
  // As `open` in the engine's worker.js chooses.
  const hasThreads = crossOriginIsolated && !/\bFirefox\//.test(navigator.userAgent);
  const file = (hasThreads && files.threads) || files.single;
  await navigator.serviceWorker.register(new URL(`offline-worker.js?engine=${file.name}`, import.meta.url));
  await navigator.serviceWorker.ready;
  document.documentElement.setAttribute("data-kept", "");
}

// Where nothing can be stored, as in a private window, the page still works.
keep().catch((fault) => console.warn("petard cannot be kept for offline use:", fault));
