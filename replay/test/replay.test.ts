import { STEP } from "../../test/support/nightly.ts";
import { CONTENT_SCENARIOS } from "./content-scenarios.ts";
import { OUTSIDE_SCENARIOS } from "./outside-scenarios.ts";
import { replaysOf } from "./replays-of.ts";
import { SCENARIOS } from "./scenarios.ts";
import { TOLD_SCENARIOS } from "./told-scenarios.ts";

/** Every kind of session, prompts and answers of every kind, news from outside, and what agents are told meanwhile. */
const ALL = [...SCENARIOS, ...CONTENT_SCENARIOS, ...OUTSIDE_SCENARIOS, ...TOLD_SCENARIOS];

describe("a replay", () => replaysOf(ALL.filter((_, index) => index % STEP === 0)));
