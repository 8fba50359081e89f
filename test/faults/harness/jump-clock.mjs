// Preloaded into a process under test (node --import): each SIGUSR2 moves its wall clock an hour ahead, or back again.
// Timers and performance.now() are monotonic and do not change, as when the clock of a machine is set.
const HOUR_MS = 3_600_000;
const realNow = Date.now.bind(Date);
let offsetMs = 0;

Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args) => {
    /** @type {unknown} */
    const date = Reflect.construct(target, args.length === 0 ? [Date.now()] : args);
    return typeof date === "object" && date !== null ? date : new target();
  },
});

process.on("SIGUSR2", () => {
  offsetMs = offsetMs === 0 ? HOUR_MS : 0;
});
