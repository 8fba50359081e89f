import { replaysOf } from "./replays-of.ts";
import { SCENARIOS } from "./scenarios.ts";

describe("a replay", () => replaysOf(SCENARIOS));
