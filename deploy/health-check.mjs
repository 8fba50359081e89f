// Exits with 0 if the service in this container is ready, with 1 if not. The environment names its health port.
const name = Object.keys(process.env).find((variable) => variable.endsWith("_HEALTH_PORT"));
const port = name === undefined ? undefined : process.env[name];
const ready = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exitCode = ready ? 0 : 1;
