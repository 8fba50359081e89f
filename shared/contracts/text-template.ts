/**
 * Texts of the configuration that keep `{{.NAME}}` where an environment variable belongs, so that its value is not stored
 * with every session. `{{"{{"}}` stands for two braces, as in the configuration's files.
 */
const TEMPLATE = /\{\{(?:\.(?<name>[A-Za-z_]\w*)|"\{\{")\}\}/gu;

/** Plain text as a template that renders to it. */
export function asTemplate(text: string): string {
  return text.replaceAll("{{", '{{"{{"}}');
}

/** True if rendering would change the text. */
export function isTemplate(text: string): boolean {
  return text.includes("{{");
}

/** The names of the variables in a template, each once. */
export function variablesOf(template: string): string[] {
  const names = [...template.matchAll(TEMPLATE)].flatMap(({ groups }) => groups?.["name"] ?? []);
  return [...new Set(names)];
}

/** Renders a template; `insert` gives the text for a variable. */
export function renderTemplate(template: string, insert: (name: string) => string): string {
  return template.replaceAll(TEMPLATE, (...match: unknown[]) => {
    const name = match[1];
    return typeof name === "string" ? insert(name) : "{{";
  });
}
