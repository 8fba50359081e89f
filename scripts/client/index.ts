export { ApiClient } from "#shared/client/api-client.ts";
export { ApiFailure } from "#shared/client/api-failure.ts";
export { followFeed } from "#shared/client/follow-feed.ts";
export { followSession } from "#shared/client/follow-session.ts";
