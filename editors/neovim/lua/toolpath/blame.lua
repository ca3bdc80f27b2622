-- Provenance as virtual text: who wrote a line, in which step, with which intent.
--
-- The server answers toolpath/blame with *runs*, blocks of lines of one origin in the order of the
-- file. An answer belongs to one changedtick of one buffer: it is kept as long as the text stays,
-- so moving the cursor asks nothing, and it is dropped when the text has changed meanwhile. Of a long
-- file only the *stretch* around the windows is asked about, { first, last } in 0-based lines.

local client = require('toolpath.client')
local label = require('toolpath.label')
local options = require('toolpath.options')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('toolpath.blame')

local mode = 'off'

-- How many lines around the windows are asked about; a file of fewer is asked about whole.
local margin = 2000

-- bufnr -> { tick, stretch, runs: the last answer; asking, asked_stretch, request: the text and the
-- lines asked about, and the request's id; timer: the wait for a pause in typing; curious: the user
-- waits for labels }.
local buffers = {}

-- Problems that were shown: text -> true.
local reported = {}

local function state_of(bufnr)
  buffers[bufnr] = buffers[bufnr] or {}
  return buffers[bufnr]
end

local function clear(bufnr)
  if api.nvim_buf_is_valid(bufnr) then
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

-- The run that covers a line (0-based), and its index. Runs are sorted and do not overlap.
local function run_at(runs, line)
  local low, high = 1, #runs
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local run = runs[middle]
    if line < run.startLine then
      high = middle - 1
    elseif line >= run.endLine then
      low = middle + 1
    else
      return run, middle
    end
  end
  return nil, low
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
  local run = run_at(runs, line)
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

-- The lines in sight of a window, at least: first and last, 0-based. When a window has just scrolled,
-- Neovim 0.7 tells the old last line.
local function lines_in_sight(win)
  local seen = vim.fn.getwininfo(win)[1]
  return seen.topline - 1, math.max(seen.botline, seen.topline + seen.height - 1) - 1
end

-- Labels every run once in every window of the buffer, at its first line in sight that is not
-- blank. Lines out of sight have none: a file may have a hundred thousand.
local function draw_all(bufnr, runs)
  local labelled = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local top, bottom = lines_in_sight(win)
    local _, i = run_at(runs, top)
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

-- The lines of a buffer in sight, in all its windows.
local function stretch_in_sight(bufnr)
  local first, last = math.huge, 0
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local top, bottom = lines_in_sight(win)
    first, last = math.min(first, top), math.max(last, bottom)
  end
  return { math.min(first, last), last }
end

local function widened(stretch)
  return { math.max(0, stretch[1] - margin), stretch[2] + margin }
end

local function covers(stretch, inner)
  return stretch and stretch[1] <= inner[1] and inner[2] <= stretch[2]
end

local draw_mode = { line = draw_line, all = draw_all }

local function is_current(bufnr, state)
  return state.runs and state.tick == api.nvim_buf_get_changedtick(bufnr)
end

local function draw(bufnr)
  clear(bufnr)
  local state = state_of(bufnr)
  if draw_mode[mode] and is_current(bufnr, state) then
    draw_mode[mode](bufnr, state.runs)
  end
end

local function report(problems)
  for _, problem in ipairs(type(problems) == 'table' and problems or {}) do
    if not reported[problem] then
      reported[problem] = true
      vim.notify('toolpath: ' .. problem, vim.log.levels.WARN)
    end
  end
end

local function is_other_version(result, version)
  return type(result.version) == 'number' and version and result.version ~= version
end

-- Takes the answer to the latest request, which was about the text of tick, sent as version.
local function accept(bufnr, state, tick, version, result)
  local stretch = state.asked_stretch
  state.asking, state.asked_stretch, state.request = nil, nil, nil
  if type(result) ~= 'table' or is_other_version(result, version) then
    return
  end
  if api.nvim_buf_get_changedtick(bufnr) ~= tick then
    return
  end
  state.tick, state.stretch, state.runs = tick, stretch, result.runs or {}
  report(result.problems)
  if state.curious and #state.runs == 0 then
    vim.notify('toolpath: no document speaks of this file')
  end
  state.curious = nil
  draw(bufnr)
end

local function is_asking(state, tick, stretch)
  return state.asking == tick and covers(state.asked_stretch, stretch)
end

-- Sends a request for the stretch and forgets the one before, whose answer is of no use any more.
local function ask(bufnr, state, stretch)
  local server = client.of(bufnr)
  local tick = api.nvim_buf_get_changedtick(bufnr)
  if not server or is_asking(state, tick, stretch) then
    return
  end
  if state.request then
    client.cancel(server, state.request)
  end
  local wide = widened(stretch)
  local version = vim.lsp.util.buf_versions[bufnr]
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    range = { start = { line = wide[1], character = 0 }, ['end'] = { line = wide[2], character = 0 } },
  }
  local id
  id = client.request(server, 'toolpath/blame', params, bufnr, function(_, result)
    if api.nvim_buf_is_loaded(bufnr) and buffers[bufnr] == state and state.request == id then
      accept(bufnr, state, tick, version, result)
    end
  end)
  state.request, state.asking, state.asked_stretch = id, id and tick, id and wide
end

-- Draws what is known of a buffer's present text in sight, and asks when it is not known.
function M.update(bufnr)
  if mode == 'off' or not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local state, stretch = state_of(bufnr), stretch_in_sight(bufnr)
  if is_current(bufnr, state) and covers(state.stretch, stretch) then
    draw(bufnr)
  else
    ask(bufnr, state, stretch)
  end
end

local function update_visible()
  for _, win in ipairs(api.nvim_list_wins()) do
    M.update(api.nvim_win_get_buf(win))
  end
end

local function stop_timer(state)
  if state.timer then
    state.timer:stop()
    state.timer:close()
    state.timer = nil
  end
end

-- Takes the labels away at once and asks when the typing pauses.
local function on_text_changed(bufnr)
  clear(bufnr)
  local state = state_of(bufnr)
  stop_timer(state)
  state.timer = vim.defer_fn(function()
    state.timer = nil
    M.update(bufnr)
  end, options.current.blame.debounce)
end

-- Moving within the window asks nothing: the answer is there, or on its way, or it failed and is asked
-- for again when the cursor rests.
local function on_cursor_moved(bufnr)
  if mode == 'line' then
    draw(bufnr)
  end
end

-- Asks anew for a buffer whose server has just started.
function M.on_attached(bufnr)
  if buffers[bufnr] then
    stop_timer(buffers[bufnr])
    buffers[bufnr] = nil
  end
  M.update(bufnr)
end

-- Drops all answers; buffers are asked about again when the cursor comes to them.
local function forget_quietly()
  for _, state in pairs(buffers) do
    state.runs, state.asking, state.asked_stretch, state.request = nil, nil, nil, nil
  end
end

-- Drops all answers, for a document that they came from may have changed, and asks again for the
-- buffers in sight.
function M.forget()
  forget_quietly()
  update_visible()
end

local documents = { '*.path.json', '*.path.jsonl' }

local function watch()
  local group = api.nvim_create_augroup('toolpath.blame', { clear = true })
  local function on(events, callback, pattern)
    api.nvim_create_autocmd(events, {
      group = group,
      pattern = pattern,
      callback = function(event)
        callback(event.buf)
      end,
    })
  end
  on({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, on_text_changed)
  on({ 'CursorMoved', 'CursorMovedI' }, on_cursor_moved)
  on({ 'WinScrolled' }, update_visible)
  on({ 'BufEnter', 'WinEnter', 'CursorHold', 'CursorHoldI', 'InsertLeave', 'BufWritePost' }, M.update)
  on({ 'BufLeave' }, function(bufnr)
    if mode == 'line' then
      clear(bufnr)
    end
  end)
  on({ 'BufUnload' }, function(bufnr)
    if buffers[bufnr] then
      stop_timer(buffers[bufnr])
      buffers[bufnr] = nil
    end
  end)
  on({ 'FocusGained' }, M.forget)
  on({ 'TextChanged', 'InsertLeave' }, forget_quietly, documents)
  on({ 'BufWritePost' }, M.forget, documents)
end

local function unwatch()
  api.nvim_create_augroup('toolpath.blame', { clear = true })
  for bufnr, state in pairs(buffers) do
    stop_timer(state)
    clear(bufnr)
  end
  buffers, reported = {}, {}
end

-- Shows provenance as 'line' or 'all', or turns it 'off'.
function M.show(chosen)
  if chosen ~= 'off' and not draw_mode[chosen] then
    return vim.notify(('toolpath: blame knows line, all and off, not "%s"'):format(chosen), vim.log.levels.ERROR)
  end
  mode = chosen
  if mode == 'off' then
    return unwatch()
  end
  label.define_highlights()
  watch()
  update_visible()
end

-- Shows provenance in the given mode; without one, turns it on for the cursor's line or off.
function M.toggle(chosen)
  M.show(chosen or (mode == 'off' and 'line' or 'off'))
  local bufnr = api.nvim_get_current_buf()
  if mode == 'off' then
    return
  end
  if not client.of(bufnr) then
    return vim.notify('toolpath: no server for this buffer (see :help toolpath-setup)')
  end
  state_of(bufnr).curious = true
end

return M
