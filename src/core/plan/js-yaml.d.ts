/** What we use of the YAML reader that gray-matter brings along: tests read our own files with it. */
declare module 'js-yaml' {
  const yaml: { readonly FAILSAFE_SCHEMA: object; readonly safeLoad: (text: string) => unknown };
  export default yaml;
}
