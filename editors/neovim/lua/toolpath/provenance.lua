-- What the server says of the buffers in sight: who wrote their lines.
--
-- The server answers toolpath/blame with *runs*, blocks of lines of one origin in the order of the
-- file, and a *summary* of the file. An answer belongs to one changedtick of one buffer: it is kept as
-- long as the text stays, so moving the cursor asks nothing, and it is dropped when the text has changed
-- meanwhile. Of a long file only a *stretch* may be asked about, { first, last } in 0-based lines.
--
-- Those who show it are *readers*. A reader is a table with
--   wants(bufnr)    the stretch that it wants to know of the buffer now, or nil for nothing
--   show(bufnr)     draw anew: something else is known of the buffer, or something else is in sight
--   hide(bufnr)     the text has just changed: what was drawn may be wrong (optional)

local client = require('toolpath.client')
local message = require('toolpath.message')
local options = require('toolpath.options')
local virtual = require('toolpath.virtual')

local api = vim.api

local M = {}

-- How many lines around a wanted stretch are asked about; a file of fewer is asked about whole.
local margin = 2000

local readers = {}

-- bufnr -> { tick, stretch, runs: the last answer; summary: the last one, of whatever text; asking,
-- asked_stretch, request: the text and the lines asked about, and the request's id; timer: the wait for
-- a pause in typing }.
local buffers = {}

-- Who waits to know all of a buffer: bufnr -> list of functions.
local waiting = {}

-- Problems that were told: text -> true.
local reported = {}

local function state_of(bufnr)
  buffers[bufnr] = buffers[bufnr] or {}
  return buffers[bufnr]
end

-- The run that covers a line (0-based), and its index. Runs are sorted and do not overlap.
function M.run_at(runs, line)
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

-- The lines in sight of a window, at least: first and last, 0-based. When a window has just scrolled,
-- Neovim 0.7 tells the old last line.
function M.lines_in_sight(win)
  local seen = vim.fn.getwininfo(win)[1]
  return seen.topline - 1, math.max(seen.botline, seen.topline + seen.height - 1) - 1
end

-- The lines of a buffer in sight, in all its windows; nil if it is in none.
function M.stretch_in_sight(bufnr)
  local first, last = math.huge, 0
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local top, bottom = M.lines_in_sight(win)
    first, last = math.min(first, top), math.max(last, bottom)
  end
  return first <= last and { first, last } or nil
end

local function widened(stretch)
  return { math.max(0, stretch[1] - margin), stretch[2] + margin }
end

local function covers(stretch, inner)
  return stretch and stretch[1] <= inner[1] and inner[2] <= stretch[2]
end

-- Whether the server may know who wrote the lines of a buffer: it is a file, or one as of a step.
local function is_source(bufnr)
  return vim.bo[bufnr].buftype == '' or virtual.is_file(api.nvim_buf_get_name(bufnr))
end

local function whole(bufnr)
  return { 0, api.nvim_buf_line_count(bufnr) - 1 }
end

-- The stretch of a buffer that anybody wants to know, or nil.
local function wanted(bufnr)
  if not is_source(bufnr) then
    return nil
  end
  local all = waiting[bufnr] and whole(bufnr)
  for _, reader in ipairs(readers) do
    local stretch = reader.wants(bufnr)
    if stretch then
      all = all and { math.min(all[1], stretch[1]), math.max(all[2], stretch[2]) } or stretch
    end
  end
  return all
end

local function tell(what, bufnr)
  for _, reader in ipairs(readers) do
    if reader[what] then
      reader[what](bufnr)
    end
  end
end

local function is_current(bufnr, state)
  return state.runs and state.tick == api.nvim_buf_get_changedtick(bufnr)
end

-- The runs of a buffer's present text; nil while they are not known.
function M.runs(bufnr)
  local state = buffers[bufnr]
  return state and is_current(bufnr, state) and state.runs or nil
end

-- The summary of a buffer's text, which may lag behind it; nil if nothing speaks of the buffer.
function M.summary(bufnr)
  return buffers[bufnr] and buffers[bufnr].summary
end

local function report(problems)
  for _, problem in ipairs(type(problems) == 'table' and problems or {}) do
    if not reported[problem] then
      reported[problem] = true
      message.warn(problem)
    end
  end
end

local function is_other_version(result, version)
  return type(result.version) == 'number' and version and result.version ~= version
end

local function stop_waiting(bufnr, runs)
  local callbacks = waiting[bufnr] or {}
  waiting[bufnr] = nil
  for _, callback in ipairs(callbacks) do
    callback(runs)
  end
end

-- LSP error codes that say no more than that the text or the record has changed meanwhile.
local outdated = { [-32800] = true, [-32801] = true, [-32802] = true }

-- Takes the answer to the latest request, which was about the text of tick, sent as version. It is of no
-- use if the text has changed meanwhile.
local function accept(bufnr, state, tick, version, err, result)
  local stretch = state.asked_stretch
  state.asking, state.asked_stretch, state.request = nil, nil, nil
  if err and not outdated[err.code] then
    if waiting[bufnr] then
      waiting[bufnr] = nil
      message.warn(client.reason(err))
    end
    return
  end
  if type(result) ~= 'table' or is_other_version(result, version) or api.nvim_buf_get_changedtick(bufnr) ~= tick then
    return waiting[bufnr] and vim.schedule(function()
      M.update(bufnr)
    end)
  end
  state.tick, state.stretch, state.runs = tick, stretch, result.runs or {}
  state.summary = type(result.summary) == 'table' and result.summary or nil
  report(result.problems)
  tell('show', bufnr)
  if covers(stretch, whole(bufnr)) then
    stop_waiting(bufnr, state.runs)
  end
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
  id = client.request(server, 'toolpath/blame', params, bufnr, function(err, result)
    if api.nvim_buf_is_loaded(bufnr) and buffers[bufnr] == state and state.request == id then
      accept(bufnr, state, tick, version, err, result)
    end
  end)
  if not id and waiting[bufnr] then
    waiting[bufnr] = nil
    message.warn('the server is gone; :edit starts it again')
  end
  state.request, state.asking, state.asked_stretch = id, id and tick, id and wide
end

-- Has the readers show what is known of a buffer's present text, and asks when it is not known.
function M.update(bufnr)
  local stretch = api.nvim_buf_is_loaded(bufnr) and wanted(bufnr)
  if not stretch then
    return
  end
  local state = state_of(bufnr)
  if is_current(bufnr, state) and covers(state.stretch, stretch) then
    tell('show', bufnr)
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

local function drop(bufnr)
  waiting[bufnr] = nil
  if buffers[bufnr] then
    stop_timer(buffers[bufnr])
    buffers[bufnr] = nil
  end
end

-- Has the readers hide what they drew at once, and asks when the typing pauses.
local function on_text_changed(bufnr)
  if not buffers[bufnr] and not wanted(bufnr) then
    return
  end
  tell('hide', bufnr)
  local state = state_of(bufnr)
  stop_timer(state)
  state.timer = vim.defer_fn(function()
    state.timer = nil
    M.update(bufnr)
  end, options.current.blame.debounce)
end

-- Asks anew for a buffer whose server has just started.
function M.on_attached(bufnr)
  drop(bufnr)
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
  local group = api.nvim_create_augroup('toolpath.provenance', { clear = true })
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
  -- Moving within the window asks nothing: the answer is there, or on its way, or it failed and is asked
  -- for again when the cursor rests.
  on({ 'WinScrolled' }, update_visible)
  on({ 'BufEnter', 'WinEnter', 'CursorHold', 'CursorHoldI', 'InsertLeave', 'BufWritePost' }, M.update)
  on({ 'BufUnload' }, drop)
  on({ 'FocusGained' }, M.forget)
  on({ 'TextChanged', 'InsertLeave' }, forget_quietly, documents)
  on({ 'BufWritePost' }, M.forget, documents)
end

-- Adds a reader; the first one starts the watch over the buffers.
function M.add_reader(reader)
  if vim.tbl_contains(readers, reader) then
    return
  end
  table.insert(readers, reader)
  if #readers == 1 then
    watch()
  end
end

-- Takes a reader away; the last one ends the watch.
function M.remove_reader(reader)
  readers = vim.tbl_filter(function(other)
    return other ~= reader
  end, readers)
  if #readers > 0 then
    return
  end
  api.nvim_create_augroup('toolpath.provenance', { clear = true })
  for bufnr in pairs(buffers) do
    drop(bufnr)
  end
  reported = {}
end

-- Calls on_known(runs) with what is known of the whole of a buffer's present text, at once or when it
-- has come. The user is told where nothing is, or where the buffer has no server.
function M.once_known(bufnr, on_known)
  if not client.of(bufnr) then
    return client.say_none(bufnr)
  end
  local function on_runs(runs)
    if #runs == 0 then
      return message.say('no document speaks of this file')
    end
    on_known(runs)
  end
  local known = M.runs(bufnr)
  if known and covers(buffers[bufnr].stretch, whole(bufnr)) then
    return on_runs(known)
  end
  waiting[bufnr] = waiting[bufnr] or {}
  table.insert(waiting[bufnr], on_runs)
  M.update(bufnr)
end

return M
