import type { BrokenFile } from "./broken-file.ts";

/** Holidays with one mistake each. */
export const BROKEN_HOLIDAYS: readonly BrokenFile[] = [
  ...(
    [
      ["02-30", "must be a day of the calendar, found 02-30; write it like 12-25"],
      ["2027-02-29", "must be a day of the calendar"],
      ["13-01", "must be a day of the calendar"],
      ["1-1", "must be a day of the calendar"],
      ["2026-12-25T00:00:00Z", "must be a day of the calendar"],
      ["' '", "must be a day of the calendar"],
      ["''", "must not be empty"],
      ["[12, 25]", "must be text"],
    ] as const
  ).map(([date, says]) => ({
    name: `a holiday on ${date}`,
    tarsy: `system:\n  holidays:\n    - {date: 02-29, name: Leap day}\n    - {date: §${date}, name: Day}\n`,
    errors: [["system.holidays[1].date", says] as const],
  })),
  ...["''", "'  '", '"a\\nb"', "x".repeat(101)].map((name) => ({
    name: `a holiday with the name ${name}`,
    tarsy: `system:\n  holidays:\n    - {date: 2026-12-25, name: §${name}}\n`,
    errors: [["system.holidays[0].name", "must be one line of 1 to 100 characters"] as const],
  })),
  {
    name: "a holiday without a date",
    tarsy: "system:\n  holidays:\n    - §{name: Day}\n",
    errors: [["system.holidays[0].date", "is required"]],
  },
  {
    name: "more holidays than days",
    tarsy: `system:\n  holidays: §[${"{date: 12-25, name: Day}, ".repeat(367)}]\n`,
    errors: [["system.holidays", "must have at most 366 entries"]],
  },
];
