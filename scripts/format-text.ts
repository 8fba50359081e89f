import { format } from "oxfmt";
import style from "../.oxfmtrc.json" with { type: "json" };

/**
 * Text of a file, such as `value.json` or `page.md`, in this project's format; objects of JSON that begin a new line keep one.
 * Throws if the text is not valid for that kind of file.
 */
export async function formatText(file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, { printWidth: style.printWidth });
  const [error] = errors;
  if (error !== undefined) throw new Error(error.message);
  return code;
}
