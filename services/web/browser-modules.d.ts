// Style sheets are imported for their effect; build.ts bundles all of them into one file.
declare module "*.css";
