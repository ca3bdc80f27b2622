-- The configuration of a Neovim under test: what the README tells a user to write, and the options
-- of the test.

-- The file type plugin of Python looks for an interpreter, for seconds.
vim.g.loaded_python3_provider = 0

local setup = vim.env.TOOLPATH_SETUP
if setup and setup ~= '' then
  require('toolpath').setup(vim.json.decode(setup))
end
