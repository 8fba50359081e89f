import type { Divergence } from "../../services/api/comparison/contract.ts";

/** The first difference of two sessions, in a sentence for page and terminal: `Scout, step 2: the tool's result differs.` */
export function divergenceText(first: Divergence): string {
  const where = [first.agent_name, `step ${first.step + 1}`].filter((part) => part !== "").join(", ");
  return `${where}: ${whatDiffers(first)}.`;
}

function whatDiffers({ part, pointer }: Divergence): string {
  switch (part) {
    case "missing":
      return "only one session has this step";
    case "reply":
      return "the model's reply differs";
    case "arguments":
      return "the tool call's arguments differ";
    case "result":
      return "the tool's result differs";
    default:
      return requestText(pointer);
  }
}

function requestText(pointer: string): string {
  const [, member, index] = pointer.split("/");
  if (member === "messages") {
    return index === "0" ? "the system prompt differs" : `message ${Number(index) + 1} to the model differs`;
  }
  if (member === "tools") return "the tools offered to the model differ";
  return "the settings of the LLM call differ";
}
