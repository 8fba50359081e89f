import { safeCut } from "#shared/safe-cut.ts";

/** The most labels of an alert that a row of a list has. */
export const MAX_ROW_LABELS = 3;
/** The most characters of a label's value there. */
export const MAX_LABEL_VALUE = 40;
/** The labels where a chain names none: severity and location; of several names the first one that the alert has. */
const DEFAULT_LABELS: readonly (readonly string[])[] = [
  ["severity"],
  ["namespace"],
  ["service", "job", "app", "cluster"],
];
const MAX_DEPTH = 8;
const MAX_VALUES = 2_000;

/** A label of an alert by which people see how urgent it is. */
interface AlertLabel {
  readonly name: string;
  readonly value: string;
}

interface FoundLabel {
  readonly value: string;
  /** Outside of labels first, then how deep; the smallest counts. */
  readonly place: number;
}

/**
 * The labels of an alert (`alertStructure`) with these names, in their order; without names severity, namespace and service. A name
 * counts in any case of letters, in labels before other members. At most MAX_ROW_LABELS, each with MAX_LABEL_VALUE characters.
 */
export function alertLabels(structure: unknown, names?: readonly string[]): readonly AlertLabel[] {
  if (typeof structure !== "object" || structure === null) return [];
  const unique = names && [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
  const groups = unique?.map((name) => [name]) ?? DEFAULT_LABELS;
  const found = findLabels(structure, new Set(groups.flat().map((name) => name.toLowerCase())));
  return groups
    .flatMap((group) => {
      const name = group.find((one) => found.has(one.toLowerCase())) ?? "";
      const label = found.get(name.toLowerCase());
      return label === undefined ? [] : [{ name, value: label.value }];
    })
    .slice(0, MAX_ROW_LABELS);
}

function findLabels(structure: object, wanted: ReadonlySet<string>): ReadonlyMap<string, FoundLabel> {
  const found = new Map<string, FoundLabel>();
  let values = 0;
  const visit = (at: object, depth: number, isLabels: boolean): void => {
    for (const [key, member] of Object.entries<unknown>({ ...at })) {
      values += 1;
      if (values > MAX_VALUES) return;
      const name = key.toLowerCase();
      if (typeof member === "object" && member !== null) {
        if (depth < MAX_DEPTH) visit(member, depth + 1, name.endsWith("labels"));
      } else if (wanted.has(name)) {
        const place = (isLabels ? 0 : MAX_DEPTH + 1) + depth;
        const value = valueOf(member);
        if (value !== "" && place < (found.get(name)?.place ?? Infinity)) found.set(name, { value, place });
      }
    }
  };
  visit(structure, 0, false);
  return found;
}

function valueOf(member: unknown): string {
  if (!["string", "number", "boolean"].includes(typeof member)) return "";
  // The value as it is written, because people copy it into a query.
  const text = String(member)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  return text.length > MAX_LABEL_VALUE ? `${text.slice(0, safeCut(text, MAX_LABEL_VALUE - 1))}…` : text;
}
