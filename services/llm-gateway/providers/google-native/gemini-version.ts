/** The version in a model's name, e.g. 2.5 of "models/gemini-2.5-flash"; undefined where the name tells none. */
export function geminiVersion(model: string): number | undefined {
  const version = /gemini-(?<number>\d+(?:\.\d+)?)/u.exec(model.toLowerCase())?.groups?.["number"];
  return version === undefined ? undefined : Number(version);
}
