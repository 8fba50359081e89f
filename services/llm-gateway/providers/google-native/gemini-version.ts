/** The version in a model name, e.g. 2.5 for "models/gemini-2.5-flash"; undefined if the name contains none. */
export function geminiVersion(model: string): number | undefined {
  const version = /gemini-(?<number>\d+(?:\.\d+)?)/u.exec(model.toLowerCase())?.groups?.["number"];
  return version === undefined ? undefined : Number(version);
}
