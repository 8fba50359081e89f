import { useRoute } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { ownAddress } from "../address.ts";

/** An address of the original's dashboard leads to that of this page. */
export function OriginalAddress() {
  const { path, params } = useRoute();
  useEffect(() => {
    const own = ownAddress(params["id"] ?? "", location.search);
    location.replace(path.endsWith("/trace") ? own.replace(/(?=#|$)/u, "/trace") : own);
  }, [path]);
  return null;
}
