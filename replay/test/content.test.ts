import { CONTENT_SCENARIOS } from "./content-scenarios.ts";
import { replaysOf } from "./replays-of.ts";

describe("a replay of prompts and answers of every kind", () =>
  replaysOf(CONTENT_SCENARIOS, { isNightly: true }));
