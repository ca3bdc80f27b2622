-- How a run of lines is told in one line at its end.

local options = require('toolpath.options')

local M = {}

-- JSON null is vim.NIL or nil, depending on the Neovim.
local function text(value)
  return type(value) == 'string' and value or nil
end

local function day(timestamp)
  return timestamp and timestamp:sub(1, 10)
end

local labels = {
  recorded = function(run)
    local parts = { text(run.actor), day(text(run.timestamp)), text(run.intent), text(run.step) }
    local present = {}
    for i = 1, 4 do
      present[#present + 1] = parts[i]
    end
    return table.concat(present, ' · ')
  end,
  base = function()
    return 'base: older than the recording'
  end,
  changed = function(run)
    local step = text(run.step)
    return step and ('changed since ' .. step .. ', not recorded') or 'changed, not recorded'
  end,
  unrecorded = function()
    return 'not recorded'
  end,
}

local highlights = { changed = 'ToolpathBlameChanged' }

-- The label of a run, by the user's function or ours; empty for none.
function M.of(run)
  local format = options.current.blame.format or labels[run.state]
  local full = format and format(run) or ''
  full = full:gsub('%s*[\r\n]%s*', ' ')
  local width = options.current.blame.width
  if vim.fn.strchars(full) > width then
    full = vim.fn.strcharpart(full, 0, width - 1) .. '…'
  end
  return full
end

function M.highlight(run)
  return highlights[run.state] or 'ToolpathBlame'
end

function M.define_highlights()
  vim.cmd('highlight default link ToolpathBlame Comment')
  vim.cmd('highlight default link ToolpathBlameChanged DiagnosticHint')
end

return M
