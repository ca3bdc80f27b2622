-- How a run of lines, or a step, is told in one line.

local options = require('toolpath.options')

local M = {}

-- A text of the server's, or nil: JSON null is vim.NIL or nil, depending on the Neovim.
function M.text(value)
  return type(value) == 'string' and value ~= '' and value or nil
end

local text = M.text

-- The text in one line.
function M.one_line(value)
  return (value:gsub('%s*[\r\n]%s*', ' '))
end

-- The first characters of a text, with a sign where some are left out.
function M.clip(value, width)
  if vim.fn.strchars(value) <= width then
    return value
  end
  return vim.fn.strcharpart(value, 0, width - 1) .. '…'
end

function M.day(timestamp)
  return text(timestamp) and timestamp:sub(1, 10)
end

-- The name of an actor, without what kind it is of.
function M.name(actor)
  return text(actor:match(':(.+)$')) or actor
end

-- Joins the parts that are there.
function M.join(...)
  local present = {}
  for i = 1, select('#', ...) do
    present[#present + 1] = text((select(i, ...)))
  end
  return table.concat(present, ' · ')
end

local labels = {
  recorded = function(run)
    return M.join(run.actor, M.day(run.timestamp), run.intent, run.step)
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
  local full = format and format(run)
  return type(full) == 'string' and M.clip(M.one_line(full), options.current.blame.width) or ''
end

function M.highlight(run)
  return highlights[run.state] or 'ToolpathBlame'
end

-- A step in one line, for lists.
function M.of_step(step)
  return M.one_line(M.join(step.step, text(step.actor) and M.name(step.actor), M.day(step.timestamp), step.intent))
end

return M
