// Preloaded into a process under test (node --import): its wall clock starts CLOCK_OFFSET_MS milliseconds ahead (0, may
// be negative), and each SIGUSR2 moves it an hour ahead, or back again.
// Timers and performance.now() are monotonic and do not change, as when the clock of a machine is set.
const HOUR_MS = 3_600_000;
const realNow = Date.now.bind(Date);
const startOffsetMs = Number(process.env["CLOCK_OFFSET_MS"] ?? 0);
let offsetMs = startOffsetMs;

Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args) => {
    /** @type {unknown} */
    const date = Reflect.construct(target, args.length === 0 ? [Date.now()] : args);
    return typeof date === "object" && date !== null ? date : new target();
  },
});

process.on("SIGUSR2", () => {
  offsetMs = offsetMs === startOffsetMs ? startOffsetMs + HOUR_MS : startOffsetMs;
});
