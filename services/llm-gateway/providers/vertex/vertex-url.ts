/** Vertex AI's address for a location (empty: global), without a trailing slash. */
export function vertexUrl(location: string): string {
  switch (location) {
    case "":
    case "global":
      return "https://aiplatform.googleapis.com";
    case "us":
    case "eu":
      return `https://aiplatform.${location}.rep.googleapis.com`;
    default:
      return `https://${location}-aiplatform.googleapis.com`;
  }
}
