-- What the user chose, over the defaults. One table for the whole plugin, replaced by setup().

local M = {}

local defaults = {
  -- The server with its arguments, e.g. { '/opt/toolpath-ls', 'serve', '--stdio' }.
  -- nil: searched for, see toolpath.client.
  cmd = nil,
  -- Handed to the server as they are: { toolpath = { codeLens = { file = false } } }.
  settings = {},
  -- Called with (client, bufnr) when the server attaches to a buffer.
  on_attach = nil,
  -- Further client capabilities, e.g. those of a completion plugin.
  capabilities = nil,
  -- Show the server's code lenses.
  code_lens = true,
  blame = {
    -- 'off', 'line' (the cursor's line) or 'all' (every run of lines in the window).
    show = 'off',
    -- Milliseconds without a key before changed text is asked about.
    debounce = 150,
    -- Longest label, in characters.
    width = 100,
    -- function(run) -> string, in place of the built-in label.
    format = nil,
  },
}

M.current = vim.deepcopy(defaults)

function M.set(chosen)
  M.current = vim.tbl_deep_extend('force', vim.deepcopy(defaults), chosen or {})
end

return M
