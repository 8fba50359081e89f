// Exits with 0 if the service in this container is ready, with 1 if not. The environment names its health port.
const name = Object.keys(process.env).find((variable) => variable.endsWith("_HEALTH_PORT"));
const port = name === undefined ? undefined : process.env[name];
// Not `fetch`, nor an import of `node:http`, which loads it: this runs every ten seconds, and most of its time is the start.
const request = process.getBuiltinModule("node:http").get(`http://127.0.0.1:${port}/readyz`, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1);
});
request.on("error", () => process.exit(1));
setTimeout(() => process.exit(1), 4_000);
