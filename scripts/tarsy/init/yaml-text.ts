/** A text as a quoted scalar of a configuration file, in which nothing is a template. */
export function yamlText(text: string): string {
  return JSON.stringify(text).replaceAll("{{", '{{"{{"}}');
}
