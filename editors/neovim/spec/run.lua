-- Runs a spec file in this Neovim: nvim --headless -u NONE -c 'luafile spec/run.lua'
--
--   $TOOLPATH_PLUGIN     the plugin's folder
--   $TOOLPATH_SPEC       the spec file; it returns a list of { name, test }
--   $TOOLPATH_DEMO       the program that makes a demo workspace
--   $TOOLPATH_SCRATCH    an empty folder for workspaces
--   $TOOLPATH_RESULTS    the file that gets one JSON object a line: { name, ok, message, seconds }
--
-- A test is called with a function that starts an editor in a fresh demo workspace, as
-- start(options), and returns the editor.

local plugin = vim.env.TOOLPATH_PLUGIN
package.path = plugin .. '/spec/?.lua;' .. package.path

local Editor = require('editor')

local function make_workspace(n)
  local folder = vim.env.TOOLPATH_SCRATCH .. '/' .. n
  local output = vim.fn.system({ vim.env.TOOLPATH_DEMO, folder })
  assert(vim.v.shell_error == 0, output)
  return vim.loop.fs_realpath(folder)
end

local function run(n, test)
  local folder = make_workspace(n)
  local editors = {}
  local function start(options)
    local editor = Editor.start(folder, options)
    table.insert(editors, editor)
    return editor
  end
  local ok, message = xpcall(test, debug.traceback, start, folder)
  for _, editor in ipairs(editors) do
    local closed, reason = pcall(editor.close, editor)
    if ok and not closed then
      ok, message = false, reason
    end
  end
  return ok, message
end

local results = assert(io.open(vim.env.TOOLPATH_RESULTS, 'w'))
local tests = dofile(vim.env.TOOLPATH_SPEC)
local failures = 0
for n, test in ipairs(tests) do
  -- Every failure has waited for long; after three the rest tells nothing new.
  if failures == 3 then
    break
  end
  local began = vim.loop.hrtime()
  local ok, message = run(n, test[2])
  local seconds = (vim.loop.hrtime() - began) / 1e9
  local result = { name = test[1], ok = ok, message = tostring(message or ''), seconds = seconds }
  results:write(vim.json.encode(result), '\n')
  results:flush()
  failures = failures + (ok and 0 or 1)
end
results:close()
vim.cmd(failures == 0 and 'qall!' or 'cquit')
