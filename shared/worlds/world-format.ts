import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/** The limits of a world, and of the worlds of one suite. */
export const WORLD_LIMITS = {
  /** Of the file's JSON, in UTF-8. */
  bytes: 16 * 1024 * 1024,
  answers: 5_000,
  /** Of one text, in UTF-8. */
  textBytes: 1024 * 1024,
  tools: 256,
  worlds: 1_000,
} as const;

const closed = { additionalProperties: false };
const Text = Type.String();
const Name = Type.String({ minLength: 1, maxLength: 200 });
const Texts = Type.Array(Text);
const Scalar = Type.Union([Text, Type.Number(), Type.Boolean()]);
const Arguments = Type.Record(Text, Type.Unknown());

/** Holds for arguments in which `arg` is given (`has: true`), is not given (`has: false`), or has one of the values of `in`. */
const Condition = Type.Object(
  { arg: Name, has: Type.Optional(Type.Boolean()), in: Type.Optional(Texts) },
  closed,
);
/** A condition, or several that all must hold. Without `when` a rule always applies. */
const When = Type.Optional(Type.Union([Condition, Type.Array(Condition)]));
export type When = Static<typeof When>;

/** The rules by which arguments of a tool are compared; normalise-call.ts has their order. */
const Normalise = Type.Object(
  {
    /** Other names of arguments, and the names that they stand for. */
    rename: Type.Optional(Type.Record(Text, Name)),
    /** Other forms of the values of an argument. */
    values: Type.Optional(
      Type.Record(
        Text,
        Type.Object(
          { lower: Type.Optional(Type.Boolean()), aliases: Type.Optional(Type.Record(Text, Text)) },
          closed,
        ),
      ),
    ),
    /** The values of arguments that are not given. */
    defaults: Type.Optional(Type.Record(Text, Scalar)),
    /** Arguments that make no difference. */
    ignore: Type.Optional(Type.Array(Type.Object({ arg: Name, when: When }, closed))),
    /** The arguments that the tool has. Others are dropped, all of them if it is empty; without `known` none is. */
    known: Type.Optional(Type.Array(Name)),
  },
  closed,
);

/** The answer of a tool that knows everything: what it says about a call that has no answer. `{arg}` in it is the argument's value. */
const Absent = Type.Object({ when: When, text: Text, is_error: Type.Optional(Type.Boolean()) }, closed);

const Tool = Type.Object(
  {
    name: Name,
    description: Text,
    /** JSON Schema of its arguments. */
    schema: Arguments,
    schema_from: literals(["given", "importer", "inferred"]),
    /** The recordings that an inferred schema was made of. */
    recordings: Type.Optional(Type.Integer({ minimum: 0 })),
    read_only: Type.Boolean(),
    normalise: Type.Optional(Normalise),
    /** The first whose condition holds. */
    absent: Type.Optional(Type.Array(Absent)),
  },
  closed,
);
export type WorldTool = Static<typeof Tool>;

const Answer = Type.Object(
  {
    /** `server.name` */
    tool: Name,
    args: Arguments,
    /** `equal`: the same arguments. `subset`: these and any others. `any`: any arguments. By default `equal`. */
    match: Type.Optional(literals(["equal", "subset", "any"])),
    /** Its place among the answers to one call, from 1; the last repeats. By default 1. */
    nth: Type.Optional(Type.Integer({ minimum: 1, maximum: WORLD_LIMITS.answers })),
    text: Text,
    is_error: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type WorldAnswer = Static<typeof Answer>;

const Coded = { code: Name, text: Text };

/** The first member of every world. */
export const WORLD_FORMAT = "tarsy-world";
/** The version that this program writes and reads, of worlds and truths. */
export const WORLD_VERSION = 1;

/** One incident as data: what an agent may see of it. */
export const World = Type.Object(
  {
    format: literals([WORLD_FORMAT]),
    version: Type.Literal(WORLD_VERSION),
    id: Type.String({ minLength: 1, maxLength: 200 }),
    source: Type.Object(
      { name: Text, repository: Text, commit: Text, path: Text, importer: Text, changes: Texts },
      closed,
    ),
    /** An SPDX id; null for none: then the world may not be passed on. */
    licence: Type.Union([Name, Type.Null()]),
    clock: Type.Object({ now: Text, from: literals(["given", "newest", "source"]) }, closed),
    alert: Type.Object({ type: Name, data: Text }, closed),
    runbook: Type.Optional(Text),
    /** Worlds of one incident have the same. */
    group: Type.Optional(Name),
    /** What a conclusion may name. Agents see it. */
    vocabulary: Type.Optional(
      Type.Object(
        {
          objects: Texts,
          causes: Type.Array(Type.Object({ ...Coded, target: Type.Optional(Text) }, closed)),
          categories: Type.Array(Type.Object(Coded, closed)),
        },
        closed,
      ),
    ),
    servers: Type.Array(
      Type.Object({ id: Name, instructions: Type.Optional(Text), tools: Type.Array(Tool) }, closed),
    ),
    answers: Type.Array(Answer, { maxItems: WORLD_LIMITS.answers }),
    /** The error that a call without an answer gets. */
    miss: Type.Object({ text: Text }, closed),
  },
  closed,
);
export type World = Static<typeof World>;

export const TRUTH_FORMAT = "tarsy-truth";

const Cause = Type.Object(
  {
    object: Text,
    cause: Text,
    /** Other codes that are right as well. */
    accept: Type.Optional(Texts),
    category: Text,
    /** How it was added, if the source does not have it. */
    added_by: Type.Optional(Text),
  },
  closed,
);

/** What is right for a world. Only what grades a session that has ended may read it. Absent lists are empty. */
export const Truth = Type.Object(
  {
    format: literals([TRUTH_FORMAT]),
    version: Type.Literal(WORLD_VERSION),
    /** The world's id. */
    world: Name,
    world_hash: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    /** A text that is nowhere else: no agent may ever see it. */
    canary: Type.String({ minLength: 16, maxLength: 200 }),
    causes: Type.Array(Cause),
    categories_not: Type.Optional(Texts),
    must_name: Type.Optional(Texts),
    must: Type.Optional(Texts),
    must_not: Type.Optional(Texts),
    rule_out: Type.Optional(Texts),
    expected_calls: Type.Optional(Texts),
    /** The calls that were recorded. Nothing expects them. */
    recorded_calls: Type.Optional(Texts),
    difficulty: Type.Optional(Scalar),
    /** An answer that its source calls right. */
    reference: Type.Optional(Text),
    /** The alert says that the fault was made. */
    leak: Type.Optional(Type.Boolean()),
    /** It has so few answers that a miss says nothing about the agent. */
    thin: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type Truth = Static<typeof Truth>;
