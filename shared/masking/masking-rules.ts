import {
  MASKING_PATTERN_GROUPS,
  MASKING_PATTERNS,
  type MaskingPattern,
} from "#shared/masking/patterns/built-in-patterns.ts";
import type { CustomPattern } from "#shared/masking/patterns/custom-patterns.ts";

/** The configured masking, as plain data that a worker thread can get. */
export interface MaskingRules {
  readonly enabled: boolean;
  readonly patterns: readonly MaskingPattern[];
  readonly custom: readonly CustomPattern[];
}

/** The block `data_masking` of a server. */
export interface MaskingBlock {
  readonly enabled?: boolean | undefined;
  readonly pattern_groups?: readonly string[] | undefined;
  readonly patterns?: readonly string[] | undefined;
  readonly custom_patterns?:
    | readonly { readonly pattern?: string | undefined; readonly replacement?: string | undefined }[]
    | undefined;
}

/** The group that applies where none is written. */
const DEFAULT_GROUP = "security";

/** The rules of a server: without a block, or without patterns in it, those of the group `security`. */
export function rulesOfServer(block: MaskingBlock = {}): MaskingRules {
  const { enabled = true, pattern_groups: groups, patterns, custom_patterns: custom = [] } = block;
  const isUnset = groups === undefined && patterns === undefined;
  return {
    enabled,
    patterns: namesOf(isUnset ? [DEFAULT_GROUP] : (groups ?? []), patterns ?? []),
    custom: custom.flatMap(({ pattern, replacement }) =>
      pattern === undefined || replacement === undefined ? [] : [{ pattern, replacement }],
    ),
  };
}

/** The rules for alerts, from `defaults.alert_masking`. */
export function rulesOfAlerts(
  block: {
    readonly enabled?: boolean | undefined;
    readonly pattern_group?: string | undefined;
  } = {},
): MaskingRules {
  const { enabled = true, pattern_group: group = DEFAULT_GROUP } = block;
  return { enabled, patterns: namesOf([group], []), custom: [] };
}

/** The rules for names that people chose: an address of a person may be one. */
export const RULES_OF_NAMES: MaskingRules = { enabled: true, patterns: [], custom: [] };

function namesOf(groups: readonly string[], patterns: readonly string[]): MaskingPattern[] {
  const names = new Set<string>([
    ...groups.flatMap((group) => MASKING_PATTERN_GROUPS[group] ?? []),
    ...patterns,
  ]);
  return MASKING_PATTERNS.filter((pattern) => names.has(pattern));
}
