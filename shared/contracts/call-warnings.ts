/** Codes of the gateway's warnings about a call, where the executor or others act on them. */

/** Tools that the model does not get, because its provider would refuse the call: the agent works without them. */
export const TOOLS_LEFT_OUT = "tools_left_out";
/** Tools whose arguments the model knows in part only. */
export const TOOL_SCHEMAS_SHORTENED = "tool_schemas_shortened";
