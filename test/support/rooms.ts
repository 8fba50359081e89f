/** A folder and what its files may import, beside packages and files of their own folder. Paths begin at the root. */
export interface Room {
  readonly room: string;
  /** Folders, or globs of files. */
  readonly may: readonly string[];
  /** Those of which it may import types only. */
  readonly types?: readonly string[];
  /** Packages that it may not import. */
  readonly packages?: readonly string[];
  /** Single imports that are allowed beside these: from, to. */
  readonly except?: readonly (readonly [from: string, to: string])[];
}

/** Only `shared/bus` imports the NATS client. */
const NO_NATS = { packages: ["nats"] };
const GATEWAY = "services/llm-gateway";
const NOTIFIER = "services/notifier";
const EXECUTOR = "services/executor";
/** Folders of the executor. */
const rooms = (...names: readonly string[]): readonly string[] => names.map((name) => `${EXECUTOR}/${name}`);
/** Folders that the two kinds of calls are made of. */
const OF_A_CALL = ["controllers", "core", "persist", "prompts", "react-parser", "state", "stream", "tracing"];
/** Files directly in a folder. */
const filesOf = (folder: string): string => `${folder}/*.{ts,tsx}`;

/**
 * The executor from below: what is pure, what is written and read, one call, what a session's owner is, features. Files directly in the folder are
 * the path from the queue to the step of an agent, and import any of them.
 */
function executorRooms(): readonly Room[] {
  const room = (name: string, may: readonly string[], more: Partial<Room> = {}): Room => ({
    room: `${EXECUTOR}/${name}`,
    may: ["shared", ...rooms(...may)],
    ...NO_NATS,
    ...more,
  });
  const core = { types: rooms("core") };
  return [
    room("react-parser", []),
    room("stream", []),
    room("prompts", ["react-parser"], core),
    room("state", ["prompts"], core),
    room("persist", ["state"], { types: rooms("core", "stream") }),
    room("controllers", ["core", "prompts", "react-parser"], { types: rooms("state") }),
    room("parking", [], { types: rooms("persist") }),
    room("core", ["parking", "persist", "state", "stream"], {
      types: [EXECUTOR],
      except: [
        [`${EXECUTOR}/core/agent-steps.ts`, `${EXECUTOR}/tools/calls-ahead.ts`],
        [`${EXECUTOR}/core/owned-session.ts`, `${EXECUTOR}/tools/tool-homes.ts`],
      ],
    }),
    room("budget", ["llm", "persist"], { types: [...rooms("core", "state"), filesOf(EXECUTOR)] }),
    room("tracing", ["llm"], { types: [EXECUTOR] }),
    room("llm", ["budget", ...OF_A_CALL]),
    room("tools", OF_A_CALL, {
      except: [
        [`${EXECUTOR}/tools/built-in/text-worker.ts`, `${EXECUTOR}/features/conclusions/verify-quotes.ts`],
        [`${EXECUTOR}/tools/perform-tool-call.ts`, `${EXECUTOR}/features/steering/watch-skip.ts`],
        [`${EXECUTOR}/tools/perform-tool-call.ts`, `${EXECUTOR}/features/approvals/ask-for-approval.ts`],
      ],
    }),
    room("features", ["budget", "llm", "tools", ...OF_A_CALL], {
      types: [filesOf(EXECUTOR)],
      except: [
        [`${EXECUTOR}/features/features.ts`, `${EXECUTOR}/perform-step.ts`],
        [`${EXECUTOR}/features/sub-agents/run-sub-agents.ts`, `${EXECUTOR}/run-execution.ts`],
      ],
    }),
  ];
}

/**
 * Which folder may import which. No service imports another one: what two need is in `shared/`, which imports no service. Neither imports
 * `lab/`. A folder of a service has a row of its own where its order matters; the row with the longest path counts.
 */
export const ROOMS: readonly Room[] = [
  // `shared/client` knows the routes by the types of their contracts.
  {
    room: "shared",
    may: [],
    types: ["services/api/*/contract.ts", "services/api/http/endpoint.ts"],
    ...NO_NATS,
  },
  { room: "shared/bus", may: ["shared"] },
  { room: "services/api", may: ["shared"], ...NO_NATS },
  { room: EXECUTOR, may: ["shared"], ...NO_NATS },
  ...executorRooms(),
  { room: "services/tool-runner", may: ["shared"], ...NO_NATS },
  { room: "services/web", may: ["shared"], ...NO_NATS },
  { room: "services/migrate", may: ["shared"], ...NO_NATS },
  { room: "services/database-init", may: ["shared"], ...NO_NATS },
  // From websocket/ over subscriptions/ and feed/ to outbox/.
  { room: NOTIFIER, may: ["shared"], ...NO_NATS },
  { room: `${NOTIFIER}/outbox`, may: ["shared"], types: [filesOf(NOTIFIER)], ...NO_NATS },
  { room: `${NOTIFIER}/feed`, may: ["shared", `${NOTIFIER}/outbox`], types: [filesOf(NOTIFIER)], ...NO_NATS },
  {
    room: `${NOTIFIER}/subscriptions`,
    may: ["shared", `${NOTIFIER}/{dialect,feed,outbox}/*`],
    types: [filesOf(NOTIFIER)],
    ...NO_NATS,
  },
  // From grpc/ over providers/ to conversation/, errors/ and sse/.
  { room: GATEWAY, may: ["shared"], ...NO_NATS },
  { room: `${GATEWAY}/errors`, may: ["shared", filesOf(GATEWAY)], ...NO_NATS },
  { room: `${GATEWAY}/sse`, may: ["shared", `${GATEWAY}/errors`], ...NO_NATS },
  { room: `${GATEWAY}/conversation`, may: ["shared", `${GATEWAY}/errors`], ...NO_NATS },
  {
    room: `${GATEWAY}/tool-schemas`,
    may: ["shared", filesOf(GATEWAY), `${GATEWAY}/conversation`],
    ...NO_NATS,
  },
  {
    room: `${GATEWAY}/providers`,
    may: ["shared", filesOf(GATEWAY), `${GATEWAY}/{conversation,errors,recordings,sse,tool-calls}/*`],
    ...NO_NATS,
  },
  { room: "launcher", may: ["shared", "services", "scripts", "deploy"], ...NO_NATS },
  {
    room: "scripts",
    may: ["shared", "services", "launcher", "lab/replay", "lab/evaluation", "lab/worlds", "deploy"],
    ...NO_NATS,
  },
  // It puts a silent bus in the place of the real one.
  { room: "lab/replay", may: ["shared", "services", "launcher", "scripts"] },
  {
    room: "lab/evaluation",
    may: ["shared", "services", "lab/replay", "lab/worlds", "launcher", "scripts"],
    ...NO_NATS,
  },
  { room: "lab/worlds", may: ["shared"], ...NO_NATS },
  // The image has no benches. One measures NATS itself.
  { room: "lab/bench", may: ["shared", "services", "launcher", "scripts"] },
];
