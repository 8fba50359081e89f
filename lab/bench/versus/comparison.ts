/** Figures of one round by name. The name ends in the unit: `_per_s` for rates, `_ms` or `_us` for times, else a count. */
export type ArmFigures = Readonly<Record<string, number>>;

/** The physical limits that are measured in every round, in milliseconds. */
export interface Limits {
  /** One small durable commit, from sending it until the answer. */
  readonly commit_ms: number;
  /** The CPU time of the client of one bare commit. */
  readonly commit_cpu_ms: number;
  /** One NATS publish, until the server has processed it. */
  readonly publish_ms: number;
  /** The CPU time of the client of one bare publish. */
  readonly publish_cpu_ms: number;
  /** One write to a loopback socket, until the kernel has taken it. */
  readonly write_ms: number;
  /** The CPU time of one bare write. */
  readonly write_cpu_ms: number;
}
export type LimitName = keyof Limits;

/** One of the compared systems, started. */
export interface Arm {
  readonly name: string;
  /** Runs one round of the load. Throws if a unit of work is lost or done twice. */
  readonly measure: () => Promise<ArmFigures>;
}

/** A figure of a comparison, in the order of the table. */
export interface FigureSpec {
  readonly name: string;
  /** The limit that a unit of this figure is compared with, if there is one. */
  readonly limit?: LimitName;
}

/** One round: every arm once, with the limits of that time. */
export interface Round {
  /** The names of the arms in the order they ran. */
  readonly order: readonly string[];
  /** By the name of the arm. */
  readonly figures: Readonly<Record<string, ArmFigures>>;
  readonly limits: Limits;
}

/** The measured rounds of one comparison. The ratios are those of the first arm to each other. */
export interface ArmComparison {
  readonly name: string;
  /** One sentence: what a unit of work is, and what the ratios leave out. */
  readonly what: string;
  readonly arms: readonly string[];
  readonly figures: readonly FigureSpec[];
  readonly rounds: readonly Round[];
}
