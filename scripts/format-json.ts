import { format } from "oxfmt";
import style from "../.oxfmtrc.json" with { type: "json" };

/** JSON in this project's format; objects that begin a new line in `text` keep one. Throws if `text` is not JSON. */
export async function formatJson(text: string): Promise<string> {
  const { code, errors } = await format("value.json", text, { printWidth: style.printWidth });
  const [error] = errors;
  if (error !== undefined) throw new Error(error.message);
  return code;
}
