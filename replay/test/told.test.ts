import { replaysOf } from "./replays-of.ts";
import { TOLD_SCENARIOS } from "./told-scenarios.ts";

describe("a replay of a session whose agents are told something", () =>
  replaysOf(TOLD_SCENARIOS, { isNightly: true }));
