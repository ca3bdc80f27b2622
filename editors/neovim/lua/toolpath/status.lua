-- What the status line says of a buffer: who wrote how much of it.

local client = require('toolpath.client')
local provenance = require('toolpath.provenance')

local api = vim.api

local M = {}

-- Buffers whose summary a status line shows: bufnr -> true.
local shown = {}

-- bufnr -> the words that the status line had last.
local last = {}

local function words_of(bufnr)
  local summary = provenance.summary(bufnr)
  return summary and type(summary.text) == 'string' and summary.text or ''
end

local reader = {
  wants = function(bufnr)
    return shown[bufnr] and provenance.stretch_in_sight(bufnr)
  end,
  show = function(bufnr)
    if shown[bufnr] and last[bufnr] ~= words_of(bufnr) then
      vim.cmd('redrawstatus!')
    end
  end,
}

local function follow(bufnr)
  shown[bufnr] = true
  provenance.add_reader(reader)
  api.nvim_create_autocmd('BufUnload', {
    buffer = bufnr,
    once = true,
    callback = function()
      shown[bufnr], last[bufnr] = nil, nil
    end,
  })
  -- Not while the status line is drawn.
  vim.schedule(function()
    provenance.update(bufnr)
  end)
end

-- Who wrote how much of a buffer, the current one by default, in a few words; '' where nothing is known.
-- It asks nothing itself: it has the buffer followed, and shows what came last. With options.escape, a
-- "%" is doubled, as is needed where the result is read as a status line once more.
function M.line(options)
  options = options or {}
  local bufnr = options.bufnr or api.nvim_get_current_buf()
  if not shown[bufnr] and client.of(bufnr) then
    follow(bufnr)
  end
  last[bufnr] = words_of(bufnr)
  return options.escape and (last[bufnr]:gsub('%%', '%%%%')) or last[bufnr]
end

return M
