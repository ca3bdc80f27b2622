-- Provenance as virtual text: who wrote a line, in which step, with which intent.

local colors = require('toolpath.colors')
local label = require('toolpath.label')
local provenance = require('toolpath.provenance')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('toolpath.inline')

local mode = 'off'

local function clear(bufnr)
  if api.nvim_buf_is_valid(bufnr) then
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

local function put(bufnr, line, run)
  local shown = label.of(run)
  if shown == '' or line >= api.nvim_buf_line_count(bufnr) then
    return
  end
  api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
    virt_text = { { '  ' .. shown, label.highlight(run) } },
    virt_text_pos = 'eol',
    hl_mode = 'combine',
  })
end

local function draw_line(bufnr, runs)
  if bufnr ~= api.nvim_get_current_buf() then
    return
  end
  local line = api.nvim_win_get_cursor(0)[1] - 1
  local run = provenance.run_at(runs, line)
  if run then
    put(bufnr, line, run)
  end
end

-- The first line from first to last that is not blank, or nil. All 0-based.
local function first_with_text(bufnr, first, last)
  for i, line in ipairs(api.nvim_buf_get_lines(bufnr, first, last + 1, false)) do
    if line:find('%S') then
      return first + i - 1
    end
  end
end

-- Labels every run once in every window of the buffer, at its first line in sight that is not
-- blank. Lines out of sight have none: a file may have a hundred thousand.
local function draw_all(bufnr, runs)
  local labelled = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local top, bottom = provenance.lines_in_sight(win)
    local _, i = provenance.run_at(runs, top)
    while runs[i] and runs[i].startLine <= bottom do
      local run = runs[i]
      local line = first_with_text(bufnr, math.max(run.startLine, top), math.min(run.endLine - 1, bottom))
      if line and not labelled[line] then
        labelled[line] = true
        put(bufnr, line, run)
      end
      i = i + 1
    end
  end
end

local draw_mode = { line = draw_line, all = draw_all }

local function draw(bufnr)
  clear(bufnr)
  local runs = provenance.runs(bufnr)
  if draw_mode[mode] and runs then
    draw_mode[mode](bufnr, runs)
  end
end

local reader = {
  wants = provenance.stretch_in_sight,
  show = draw,
  hide = clear,
}

local function watch()
  local group = api.nvim_create_augroup('toolpath.inline', { clear = true })
  api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, {
    group = group,
    callback = function(event)
      if mode == 'line' then
        draw(event.buf)
      end
    end,
  })
  api.nvim_create_autocmd('BufLeave', {
    group = group,
    callback = function(event)
      if mode == 'line' then
        clear(event.buf)
      end
    end,
  })
end

local function unwatch()
  api.nvim_create_augroup('toolpath.inline', { clear = true })
  provenance.remove_reader(reader)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    clear(bufnr)
  end
end

-- Shows provenance as 'line' or 'all', or turns it 'off'.
function M.show(chosen)
  mode = chosen
  if mode == 'off' then
    return unwatch()
  end
  colors.define()
  provenance.add_reader(reader)
  watch()
  for _, win in ipairs(api.nvim_list_wins()) do
    local bufnr = api.nvim_win_get_buf(win)
    clear(bufnr)
    provenance.update(bufnr)
  end
end

-- Shows provenance in the given mode, and tells the user where there is nothing to show.
function M.choose(chosen)
  M.show(chosen)
  if mode == 'off' then
    return
  end
  provenance.once_known(api.nvim_get_current_buf(), function() end)
end

return M
