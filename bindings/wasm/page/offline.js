/** Has this browser cache the page and the engine that it uses. */

async function keep() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(new URL("offline-worker.js", import.meta.url));
  const { active } = await navigator.serviceWorker.ready;
  const address = new URL("engine/petard.json", import.meta.url);
  const files = await (await fetch(address)).json();
  // As `open` in the engine's worker.js chooses.
  const hasThreads = crossOriginIsolated && !/\bFirefox\//.test(navigator.userAgent);
  const file = (hasThreads && files.threads) || files.single;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => document.documentElement.setAttribute("data-kept", "");
  active?.postMessage({ keep: new URL(file.name, address).href }, [port2]);
}

// Where nothing can be stored, as in a private window, the page still works.
keep().catch((fault) => console.warn("petard cannot be kept for offline use:", fault));
