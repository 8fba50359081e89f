import { repetitions } from "../../../test/support/nightly.ts";
import { openReplayer } from "../replayer.ts";
import { CONTENT_SCENARIOS } from "./content-scenarios.ts";
import { OUTSIDE_SCENARIOS } from "./outside-scenarios.ts";
import { RecordingFixture } from "./recording-fixture.ts";
import { SCENARIOS } from "./scenarios.ts";
import { changedPrompts } from "./suites/changed-prompts.ts";
import { divergences } from "./suites/divergences.ts";
import { replaysOf, type ReplayParts } from "./suites/replays-of.ts";
import { currentTime } from "./suites/current-time.ts";
import { DELIVERY_SCENARIOS } from "./delivery-scenarios.ts";

const { signal } = new AbortController();
/** Every kind of session, prompts and answers of every kind, news from outside, and what is delivered to agents meanwhile. */
const ALL = [...SCENARIOS, ...CONTENT_SCENARIOS, ...OUTSIDE_SCENARIOS, ...DELIVERY_SCENARIOS];
/** Every fifth in `npm test`: calls of tools, a sub-agent that is stopped, a lost owner, a note, alerts that join, among others. */
const INCREMENT = repetitions({ daily: 5, nightly: 1 });

describe("a replay", () => {
  const resources = new AsyncDisposableStack();
  let parts: ReplayParts;

  before(async () => {
    const [recording, replayer] = await Promise.all([RecordingFixture.start(), openReplayer({ signal })]);
    parts = { recording: resources.use(recording), replayer: resources.use(replayer) };
  });
  after(() => resources.disposeAsync());

  const opened = () => parts;
  replaysOf(
    ALL.filter((_, index) => index % INCREMENT === 0),
    opened,
  );
  for (const suite of [divergences, changedPrompts, currentTime]) suite(opened);
});
