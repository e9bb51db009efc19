/** The one thing we use of the YAML reader that gray-matter brings along. */
declare module 'js-yaml' {
  const yaml: { readonly FAILSAFE_SCHEMA: object };
  export default yaml;
}
