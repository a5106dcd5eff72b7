// How the page's modules are laid out.
export default {
  printWidth: 120,
};
