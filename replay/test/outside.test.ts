import { OUTSIDE_SCENARIOS } from "./outside-scenarios.ts";
import { replaysOf } from "./replays-of.ts";

describe("a replay of a session with news from outside", () =>
  replaysOf(OUTSIDE_SCENARIOS, { isNightly: true }));
