// Exits 0 when the service in this container is ready: asked at the one health port that its environment names.
const name = Object.keys(process.env).find((variable) => variable.endsWith("_HEALTH_PORT"));
const port = name === undefined ? undefined : process.env[name];
const ready = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exitCode = ready ? 0 : 1;
