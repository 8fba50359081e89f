import type { Environment } from "#shared/agent-config/config-environment.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { ExpandedText, type Insertion } from "#shared/agent-config/expanded-text.ts";

/** Variables inserted many times over must not grow a small file without bound. */
const MAX_EXPANDED_CHARS = 2 * 1024 * 1024;
const MAX_TEMPLATES = 1000;

const TEMPLATE = /^\{\{\s*(?:\.([A-Za-z_]\w*)|"([^"\\\n]*)"|`([^`]*)`)\s*\}\}/u;
const ALLOWED = 'only {{.NAME}} for an environment variable and {{"text"}} for literal text are allowed';

/** Stands in for a template that was not understood: a plain word wherever it is. */
const STAND_IN = "_";

/**
 * Inserts environment variables for `{{.NAME}}`, as text, before the YAML is read; an unset one becomes
 * nothing. `{{"text"}}` stands for its text, so that a literal `{{` can be written. Every other template
 * is reported with its place and something stands in for it; an unset variable is warned about once.
 * Undefined, with the reason reported, for a file beyond the limits.
 */
export function expandTemplates(
  file: string,
  source: string,
  env: Environment,
  report: (problem: ConfigProblem) => void,
): ExpandedText | undefined {
  const insertions: Insertion[] = [];
  const problems: { offset: number; severity: ConfigProblem["severity"]; message: string }[] = [];
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  const append = (text: string) => {
    parts.push(text);
    length += text.length;
  };
  for (let open = source.indexOf("{{"); open !== -1; open = source.indexOf("{{", copied)) {
    const template = readTemplate(source, open, env);
    append(source.slice(copied, open));
    const { sourceEnd, text, variable, broken, problem } = template;
    const start = length;
    append(text);
    insertions.push({
      sourceStart: open,
      sourceEnd,
      start,
      end: length,
      broken,
      ...(variable === undefined ? {} : { variable }),
    });
    copied = sourceEnd;
    if (problem !== undefined) problems.push({ offset: open, ...problem });
    if (length > MAX_EXPANDED_CHARS || insertions.length > MAX_TEMPLATES) {
      const limit =
        length > MAX_EXPANDED_CHARS
          ? `with its variables inserted the file exceeds ${MAX_EXPANDED_CHARS} characters`
          : `the file has more than ${MAX_TEMPLATES} templates`;
      const place = new ExpandedText(file, source, source, []).placeInSource(open);
      report({ severity: "error", ...place, path: "", message: limit });
      return undefined;
    }
  }
  append(source.slice(copied));
  const expanded = new ExpandedText(file, source, parts.join(""), insertions);
  for (const { offset, severity, message } of withoutRepeats(problems)) {
    report({ severity, ...expanded.placeInSource(offset), path: "", message });
  }
  return expanded;
}

interface Template {
  readonly sourceEnd: number;
  readonly text: string;
  readonly variable?: string;
  readonly broken: boolean;
  readonly problem?: { readonly severity: ConfigProblem["severity"]; readonly message: string };
}

function readTemplate(source: string, open: number, env: Environment): Template {
  const written = source.slice(open, endOfTemplate(source, open));
  const found = TEMPLATE.exec(written);
  if (found === null) {
    const message = `the template ${shorten(written)} is not understood; ${ALLOWED}`;
    const problem = { severity: "error", message } as const;
    return { sourceEnd: open + written.length, text: STAND_IN, broken: true, problem };
  }
  const [whole, variable, quoted, raw] = found;
  const sourceEnd = open + whole.length;
  if (variable === undefined) return { sourceEnd, text: quoted ?? raw ?? "", broken: false };
  const value = env[variable] ?? "";
  if (value !== "" || isInComment(source, open)) return { sourceEnd, text: value, variable, broken: false };
  const message = `${variable} is not set, so {{.${variable}}} inserts nothing`;
  return { sourceEnd, text: value, variable, broken: false, problem: { severity: "warning", message } };
}

/** Where the template that begins at `open` ends: after its `}}`, or at the line's end if it has none there. */
function endOfTemplate(source: string, open: number): number {
  const close = source.indexOf("}}", open + 2);
  const lineEnd = source.indexOf("\n", open);
  const end = close === -1 ? source.length : close + 2;
  if (TEMPLATE.test(source.slice(open, end)) || lineEnd === -1) return end;
  return Math.min(end, lineEnd);
}

function isInComment(source: string, offset: number): boolean {
  return /^\s*#/u.test(source.slice(source.lastIndexOf("\n", offset) + 1, offset));
}

function withoutRepeats<T extends { readonly message: string; readonly severity: string }>(
  problems: T[],
): T[] {
  const seen = new Set<string>();
  return problems.filter(({ message, severity }) => {
    if (severity === "error") return true;
    if (seen.has(message)) return false;
    seen.add(message);
    return true;
  });
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
