import type { MaskContext } from "#shared/masking/mask-context.ts";
import { COMMAND_RULES, type CommandRule } from "#shared/masking/patterns/command-rules.ts";
import { isHarmlessValue } from "#shared/masking/secret-names.ts";
import { Words } from "#shared/masking/words.ts";

const RULES = new Map<string, CommandRule[]>();
for (const rule of COMMAND_RULES) {
  for (const name of rule.names) RULES.set(name, [...(RULES.get(name) ?? []), rule]);
}
const NAMES = [...RULES.keys()]
  .sort((a, b) => b.length - a.length)
  .map((name) => name.replaceAll(".", "\\."));
/** The name of a command, also in a list of JSON and behind a path. */
const COMMAND = new RegExp(String.raw`\b(?:${NAMES.join("|")})(?=[ \t]+["'$\w/\\-]|\\?["'],)`, "g");
/** What stands behind a name of two letters is a part of its trigram. */
const NAMED = new Words(
  ...[...RULES.keys()].flatMap((name) =>
    name.length > 2 ? name.toLowerCase() : [" ", "\t", "'", '"', "\\"].map((end) => name + end),
  ),
);
/** White space, a line that goes on, or what separates strings in a list. */
const BETWEEN = /(?:[ \t]|\\\r?\n|\\?["']?,)[ \t]*(?:\\\r?\n[ \t]*)*/y;
const ARGUMENT = /\\?"(?:[^"\\\n]|\\[^"\n])*\\?"|'[^'\n]*'|[^\s"'|;&`]+/y;
const MAX_ARGUMENTS = 40;
const MAX_COMMAND = 4_000;

/** A part of the text, without its quotes. */
interface Argument {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Masks the secrets that commands take by position or in options of one letter. Takes time proportional to the text. */
export function maskCommands(text: string, context: MaskContext): string {
  if (!NAMED.test(text)) return text;
  const parts: string[] = [];
  let copied = 0;
  COMMAND.lastIndex = 0;
  for (let found = COMMAND.exec(text); found !== null; found = COMMAND.exec(text)) {
    context.step();
    // The end of a longer word.
    if (/[.@-]/u.test(text.charAt(found.index - 1))) continue;
    const args = readArguments(text, COMMAND.lastIndex);
    const secrets = (RULES.get(found[0]) ?? []).flatMap((rule) => secretsOf(rule, args));
    for (const { start, end } of secrets.sort((a, b) => a.start - b.start)) {
      const value = text.slice(start, end);
      if (start < copied || isHarmlessValue(value, "PASSWORD") || value.includes("[MASKED_")) continue;
      parts.push(text.slice(copied, start), context.mask(value, "PASSWORD"));
      copied = end;
    }
    // Arguments are read once: a command among them is one argument.
    COMMAND.lastIndex = Math.max(COMMAND.lastIndex, copied);
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** Up to the end of the line, a pipe or another command; in a string, up to its end. */
function readArguments(text: string, from: number): readonly Argument[] {
  const args: Argument[] = [];
  let at = from;
  while (args.length < MAX_ARGUMENTS && at - from < MAX_COMMAND) {
    BETWEEN.lastIndex = at;
    if (BETWEEN.exec(text) === null) break;
    ARGUMENT.lastIndex = BETWEEN.lastIndex;
    const found = ARGUMENT.exec(text);
    if (found === null) break;
    at = ARGUMENT.lastIndex;
    const quote = /^\\?["']/u.exec(found[0])?.[0] ?? "";
    const start = found.index + quote.length;
    let end = at - quote.length;
    // `-p'VALUE'`, `user:"VALUE"`: what is joined to it is a part of it.
    ARGUMENT.lastIndex = at;
    const joined = quote === "" && /[=:%,]$|^-[A-Za-z]$/u.test(found[0]) ? ARGUMENT.exec(text) : null;
    if (joined !== null) {
      const inner = /^\\?["']/u.exec(joined[0])?.[0] ?? "";
      at = ARGUMENT.lastIndex;
      const value = joined[0].slice(inner.length, joined[0].length - inner.length);
      args.push({ start: at - inner.length - value.length, end: at - inner.length, text: found[0] + value });
      continue;
    }
    if (found[0].startsWith("\\n") || end < start) break;
    // A line break ends the command in a string of JSON.
    const feed = quote === "" ? /\\[nr]/u.exec(found[0])?.index : undefined;
    if (feed !== undefined) end = found.index + feed;
    args.push({ start, end, text: text.slice(start, end) });
    if (feed !== undefined) break;
  }
  return args;
}

function secretsOf(rule: CommandRule, args: readonly Argument[]): readonly Argument[] {
  const { needs, options, attached, within, behind, isLast } = rule;
  if (needs !== undefined && !args.some(({ text }) => needs.test(text))) return [];
  const found: Argument[] = [];
  for (const [index, arg] of args.entries()) {
    const next = args[index + 1];
    const isOption = options?.test(arg.text) === true;
    if (isOption && next !== undefined) found.push(...behindOption(arg, next, within));
    if (attached !== undefined && !isOption) found.push(...rest(arg, attached));
    if (within !== undefined) found.push(...rest(arg, within, "", rule.hasHost));
    const target = behind?.[0].test(arg.text) === true ? args[index + behind[1]] : undefined;
    if (target !== undefined && !/^[-/*]/u.test(target.text)) found.push(target);
  }
  const plain = args.filter(({ text }) => !text.startsWith("-"));
  const last = plain.at(-1);
  if (isLast === true && last !== undefined && plain.length > 1) found.push(last);
  return found;
}

function behindOption(option: Argument, next: Argument, within: RegExp | undefined): readonly Argument[] {
  if (within !== undefined) return rest(next, within, `${option.text} `);
  return next.text.startsWith("-") ? [] : [next];
}

/** The rest of an argument after a beginning; `before` is the option that the argument belongs to. */
function rest({ end, text }: Argument, beginning: RegExp, before = "", hasHost = false): readonly Argument[] {
  const head = beginning.exec(before + text)?.[0];
  if (head === undefined || head.length < before.length) return [];
  const value = (before + text).slice(head.length);
  const secret = hasHost ? (/^[^@]+(?=@)/u.exec(value)?.[0] ?? value) : value;
  return secret === ""
    ? []
    : [{ start: end - value.length, end: end - value.length + secret.length, text: secret }];
}
