-- The blame window: beside a source file, who wrote each of its lines. It scrolls with the file and
-- follows its unsaved edits.

local client = require('toolpath.client')
local colors = require('toolpath.colors')
local label = require('toolpath.label')
local message = require('toolpath.message')
local options = require('toolpath.options')
local place = require('toolpath.place')
local provenance = require('toolpath.provenance')
local virtual = require('toolpath.virtual')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('toolpath.blame')
local filler = api.nvim_create_namespace('toolpath.blame.filler')

-- Blame windows, by their own number. A view has
--   win, buf       the blame window and its buffer
--   src, bufnr     the window of the source file, and its buffer
--   entries        what is shown: one { text, spans, run } for each line
--   saved          the options of the source window as they were
--   past           the files that were blamed before in this window: { bufnr, cursor }, the last one last
--   filled         what the virtual lines were made of that stand in for those of the source window
local views = {}

-- A mark in front of lines of which it is less than sure who wrote them, or nobody on record did.
local marks = {
  fuzzy = '~',
  structural = '≈',
  inferred = '?',
  base = '^',
  changed = '+',
  unsaved = '*',
  unrecorded = ' ',
}

local words = { base = 'base', changed = 'changed', unsaved = 'unsaved', inferred = 'not recorded', unrecorded = 'not recorded' }

local function pad(text, width)
  return text .. (' '):rep(width - vim.fn.strdisplaywidth(text))
end

-- The columns of a run: step, actor and day; of lines of no step, what is known and which commit brought
-- them. Who made that commit is not who wrote them, and is not named.
local function columns_of(run)
  if run.state == 'recorded' then
    return label.text(run.step) or '', label.name(label.text(run.actor) or ''), label.day(run.timestamp) or ''
  end
  local commit = type(run.commit) == 'table' and run.commit or {}
  local id = label.text(commit.id)
  return words[run.grade] or words[run.state] or '', id and id:sub(1, 8) or '', label.day(commit.time) or ''
end

local function clipped(run)
  local step, actor, day = columns_of(run)
  local limits = options.current.window
  return label.clip(label.one_line(step), limits.step), label.clip(label.one_line(actor), limits.actor), label.clip(day, 10)
end

local function widths_of(runs)
  local widths = { 0, 0, 0 }
  for _, run in ipairs(runs) do
    for i, column in ipairs({ clipped(run) }) do
      widths[i] = math.max(widths[i], vim.fn.strdisplaywidth(column))
    end
  end
  return widths
end

local bar = '▎'

local plain_groups = { changed = 'ToolpathBlameChanged', base = 'ToolpathBlameNone', unrecorded = 'ToolpathBlameNone' }

-- Two entries of a run, that of its first line and that of the others.
local function entries_of(run, widths, color_of)
  local step, actor, day = clipped(run)
  local mark = marks[run.grade] or ' '
  local head = bar .. mark .. pad(step, widths[1])
  if widths[2] > 0 then
    head = head .. ' ' .. pad(actor, widths[2])
  end
  local text = head .. ' ' .. day
  text = text:gsub('%s+$', '')
  local color = run.state == 'recorded' and color_of[run.actor]
  if not color then
    local group = plain_groups[run.state] or 'ToolpathBlame'
    local all = { { 0, #text, group } }
    return { text = text, spans = all, run = run, key = text .. group }, { text = text, spans = all, run = run, key = text .. group }
  end
  local group = colors.group(color)
  local upto = math.min(#head, #text)
  return { text = text, spans = { { 0, upto, group }, { upto, #text, 'ToolpathBlame' } }, run = run, key = text .. group .. '1' },
    { text = text, spans = { { 0, #bar, group }, { #bar, #text, 'ToolpathBlame' } }, run = run, key = text .. group .. '2' }
end

local blank = { text = '', spans = {}, key = '' }

-- An entry for each of so many lines.
local function entries_for(runs, summary, count)
  local color_of = {}
  for _, actor in ipairs(summary and summary.actors or {}) do
    color_of[actor.actor] = actor.color
  end
  local widths, entries = widths_of(runs), {}
  for _, run in ipairs(runs) do
    local first, other = entries_of(run, widths, color_of)
    for line = run.startLine, math.min(run.endLine, count) - 1 do
      entries[line + 1] = line == run.startLine and first or other
    end
  end
  for line = 1, count do
    entries[line] = entries[line] or blank
  end
  return entries, widths[1] + widths[2] + (widths[2] > 0 and 1 or 0) + 14
end

-- Puts entries in place of the lines from first to last (0-based, last not among them).
local function splice(view, first, last, entries)
  local texts = {}
  for i, entry in ipairs(entries) do
    texts[i] = entry.text
  end
  vim.bo[view.buf].modifiable = true
  api.nvim_buf_clear_namespace(view.buf, namespace, first, last)
  api.nvim_buf_set_lines(view.buf, first, last, false, texts)
  vim.bo[view.buf].modifiable = false
  for i, entry in ipairs(entries) do
    for _, span in ipairs(entry.spans) do
      if span[2] > span[1] then
        api.nvim_buf_set_extmark(view.buf, namespace, first + i - 1, span[1], { end_col = span[2], hl_group = span[3] })
      end
    end
  end
  local rest = {}
  for i, entry in ipairs(view.entries) do
    if i <= first then
      rest[i] = entry
    end
  end
  vim.list_extend(rest, entries)
  for i = last + 1, #view.entries do
    rest[#rest + 1] = view.entries[i]
  end
  view.entries = rest
end

-- Shows entries, and touches no line that shows the same already.
local function show_entries(view, entries)
  local old, first = view.entries, 0
  while first < #old and first < #entries and old[first + 1].key == entries[first + 1].key do
    first = first + 1
  end
  local tail = 0
  while tail < #old - first and tail < #entries - first and old[#old - tail].key == entries[#entries - tail].key do
    tail = tail + 1
  end
  local middle = {}
  for i = first + 1, #entries - tail do
    middle[#middle + 1] = entries[i]
  end
  splice(view, first, #old - tail, middle)
  view.entries = entries -- the runs of equal lines may be others
end

local function in_window(win, command)
  api.nvim_win_call(win, function()
    vim.cmd(command)
  end)
end

-- The blame window's virtual lines take the place of those of the source window, such as lenses above
-- lines, so that lines stand side by side. Neovim tells of them from 0.10 on, and older ones have none.
-- Returns whether there are others than before.
local function fill(view)
  if vim.fn.has('nvim-0.10') == 0 or not api.nvim_win_is_valid(view.src) then
    return false
  end
  local top, bottom = provenance.lines_in_sight(view.src)
  local last = api.nvim_buf_line_count(view.bufnr) - 1
  local from, to = math.max(0, top - 200), math.min(bottom + 200, last)
  local found = api.nvim_buf_get_extmarks(view.bufnr, -1, { from, 0 }, { to, -1 }, { details = true, type = 'virt_lines' })
  local filled, wanted = {}, {}
  for _, mark in ipairs(found) do
    local details = mark[4]
    local lines = details.virt_lines and #details.virt_lines or 0
    if lines > 0 then
      wanted[#wanted + 1] = { mark[2], lines, details.virt_lines_above or false }
      filled[#filled + 1] = ('%d %d %s'):format(mark[2], lines, tostring(details.virt_lines_above))
    end
  end
  local key = table.concat(filled, ',')
  if view.filled == key then
    return false
  end
  view.filled = key
  api.nvim_buf_clear_namespace(view.buf, filler, 0, -1)
  for _, want in ipairs(wanted) do
    local empty = {}
    for i = 1, want[2] do
      empty[i] = { { '', 'Normal' } }
    end
    if want[1] < api.nvim_buf_line_count(view.buf) then
      api.nvim_buf_set_extmark(view.buf, filler, want[1], 0, { virt_lines = empty, virt_lines_above = want[3] })
    end
  end
  return true
end

-- Makes the blame window show the same lines as the source window. Neovim binds windows by how far each
-- has scrolled since it was bound, so they are bound anew.
local function align(view)
  if not api.nvim_win_is_valid(view.src) or not api.nvim_win_is_valid(view.win) then
    return
  end
  local seen = api.nvim_win_call(view.src, vim.fn.winsaveview)
  in_window(view.src, 'setlocal noscrollbind')
  api.nvim_win_call(view.win, function()
    vim.cmd('setlocal noscrollbind')
    vim.fn.winrestview({ topline = seen.topline, topfill = seen.topfill, lnum = seen.lnum, col = 0, leftcol = 0 })
    vim.cmd('setlocal scrollbind')
  end)
  in_window(view.src, 'setlocal scrollbind')
end

-- Brings the windows together again where something else has moved one of them, such as a window that
-- opened or closed, or lines that came in above others.
local function keep_together(view)
  if not api.nvim_win_is_valid(view.src) or api.nvim_win_get_buf(view.src) ~= view.bufnr then
    return
  end
  local moved = fill(view)
  local theirs = api.nvim_win_call(view.src, vim.fn.winsaveview)
  local ours = api.nvim_win_call(view.win, vim.fn.winsaveview)
  if moved or theirs.topline ~= ours.topline or theirs.topfill ~= ours.topfill then
    align(view)
  end
end

local function render(view, runs)
  local entries, width = entries_for(runs, provenance.summary(view.bufnr), api.nvim_buf_line_count(view.bufnr))
  show_entries(view, entries)
  view.filled = nil
  keep_together(view)
  if view.width ~= width then
    view.width = width
    api.nvim_win_set_width(view.win, width)
  end
end

-- Whether the blame window is still there: it may have gone a moment ago.
local function is_there(view)
  return api.nvim_win_is_valid(view.win) and api.nvim_buf_is_valid(view.buf) and api.nvim_win_get_buf(view.win) == view.buf
end

local function each_of(bufnr, visit)
  for _, view in pairs(views) do
    if view.bufnr == bufnr and is_there(view) then
      visit(view)
    end
  end
end

local reader = {
  wants = function(bufnr)
    local any
    each_of(bufnr, function()
      any = { 0, api.nvim_buf_line_count(bufnr) - 1 }
    end)
    return any
  end,
  show = function(bufnr)
    local runs = provenance.runs(bufnr)
    if runs then
      each_of(bufnr, function(view)
        render(view, runs)
      end)
    end
  end,
}

-- How many edits are followed one by one between two looks at the window.
local most_edits = 100

local function blanks(count)
  local all = {}
  for i = 1, count do
    all[i] = blank
  end
  return all
end

-- Keeps the lines side by side while the text changes and nothing is known of it yet.
local function follow_edits(view)
  local bufnr = view.bufnr
  local function is_over()
    return views[view.win] ~= view or view.bufnr ~= bufnr or not is_there(view)
  end
  local edits = {}
  local function apply(edit)
    local first, last, new_last = unpack(edit)
    if first <= #view.entries then
      splice(view, first, math.min(last, #view.entries), blanks(new_last - first))
    end
  end
  -- The buffer of the window must not change while the other one is about to. A command like :global makes
  -- thousands of edits: then the lines are not followed one by one, and are right when the answer comes.
  local function follow()
    local all = edits
    edits = {}
    if is_over() or not api.nvim_buf_is_loaded(bufnr) then
      return
    end
    if #all <= most_edits then
      vim.tbl_map(apply, all)
    end
    local count = api.nvim_buf_line_count(bufnr)
    if count ~= #view.entries then
      splice(view, math.min(count, #view.entries), #view.entries, blanks(count - #view.entries))
    end
  end
  api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if is_over() then
        return true
      end
      if #edits == 0 then
        vim.schedule(follow)
      end
      edits[#edits + 1] = { first, last, new_last }
    end,
    on_reload = function()
      vim.schedule(follow)
    end,
  })
end

-- What the source window has to be like while it is blamed: one row for each line, and bound.
local function bind(view)
  view.saved = api.nvim_win_call(view.src, function()
    local wo = vim.wo
    return { wrap = wo.wrap, foldenable = wo.foldenable, scrollbind = wo.scrollbind, cursorbind = wo.cursorbind }
  end)
  in_window(view.src, 'setlocal nowrap nofoldenable scrollbind cursorbind')
end

local function setlocal_of(saved)
  local words_of = {}
  for name, value in pairs(saved) do
    words_of[#words_of + 1] = (value and '' or 'no') .. name
  end
  return 'setlocal ' .. table.concat(words_of, ' ')
end

-- Gives the source window its options back. They belong to the window and its buffer: where another buffer
-- has come in meanwhile, the old one has to come back for a moment.
local function unbind(view)
  local saved = view.saved
  view.saved = nil
  if not saved or not api.nvim_win_is_valid(view.src) or not api.nvim_buf_is_valid(view.bufnr) then
    return
  end
  local now = api.nvim_win_get_buf(view.src)
  if now == view.bufnr then
    return in_window(view.src, setlocal_of(saved))
  end
  if not api.nvim_buf_is_loaded(view.bufnr) then
    return
  end
  api.nvim_win_call(view.src, function()
    local seen = vim.fn.winsaveview()
    vim.cmd('noautocmd keepalt keepjumps hide buffer ' .. view.bufnr)
    vim.cmd(setlocal_of(saved))
    vim.cmd('noautocmd keepalt keepjumps hide buffer ' .. now)
    vim.fn.winrestview(seen)
  end)
end

-- Ends a view; its window is closed unless it is already.
local function close(view)
  if views[view.win] ~= view then
    return
  end
  views[view.win] = nil
  if next(views) == nil then
    provenance.remove_reader(reader)
    api.nvim_create_augroup('toolpath.blame', { clear = true })
  end
  unbind(view)
  if not is_there(view) then
    return
  end
  if not pcall(api.nvim_win_close, view.win, true) and not pcall(vim.cmd, 'quit') then
    -- It is the last window, and something is not saved: what is blamed takes its place.
    in_window(view.win, 'setlocal nowinfixwidth')
    pcall(api.nvim_win_set_buf, view.win, view.bufnr)
  end
end

-- Shows in the window who wrote a buffer, which the source window shows already.
local function adopt(view, bufnr)
  view.bufnr = bufnr
  bind(view)
  follow_edits(view)
  vim.b[view.buf].toolpath_title = 'Who wrote ' .. vim.fn.fnamemodify(api.nvim_buf_get_name(bufnr), ':t')
  client.remember(view.buf, client.of(bufnr))
end

local function check(view)
  if not is_there(view) then
    return close(view)
  end
  if not api.nvim_win_is_valid(view.src) or api.nvim_win_get_buf(view.src) ~= view.bufnr then
    close(view)
  end
end

local function check_all()
  for _, view in pairs(vim.tbl_extend('force', {}, views)) do
    check(view)
  end
end

local function watch()
  local group = api.nvim_create_augroup('toolpath.blame', { clear = true })
  api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    callback = function()
      vim.schedule(check_all)
    end,
  })
  -- The next window of the buffer takes over the options of the one that closes.
  api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = function(event)
      for _, view in pairs(views) do
        if view.src == tonumber(event.match) then
          unbind(view)
        end
      end
      vim.schedule(check_all)
    end,
  })
  api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'CursorHold', 'WinScrolled', 'WinEnter', 'VimResized' }, {
    group = group,
    callback = function()
      for _, view in pairs(views) do
        if is_there(view) then
          keep_together(view)
        end
      end
    end,
  })
end

local help = {
  { '<CR>', 'go to the step of the line in its document' },
  { 'o', 'the same in a split' },
  { 'd', 'what the step did' },
  { 'p', 'blame the file as it was before the step' },
  { '<BS>', 'back to what was blamed before' },
  { 'K', 'all that is known of the line' },
  { 'q', 'close' },
}

local function float(lines)
  vim.lsp.util.open_floating_preview(lines, 'text', { focus_id = 'toolpath.blame', wrap = true })
end

local function show_help()
  local lines = {}
  for i, key in ipairs(help) do
    lines[i] = pad(key[1], 6) .. key[2]
  end
  vim.list_extend(lines, { '', '~ fuzzy  ≈ structural  ? inferred', '^ older than the record', '+ changed  * not saved' })
  float(lines)
end

local function line_of_cursor(view)
  return api.nvim_win_get_cursor(view.win)[1] - 1
end

-- The step of the cursor's line as { document, path, step }, or nil; the user is told where there is none.
local function step_of_cursor(view)
  local run = (view.entries[line_of_cursor(view) + 1] or blank).run
  if not run or run.state ~= 'recorded' then
    message.say('no step is known to have written this line')
    return nil
  end
  return { document = run.document, path = run.path, step = run.step }, run
end

-- A new window below the source, with the options that it has when nobody is blamed.
local function split_off(view)
  in_window(view.src, 'belowright split')
  local win = vim.fn.win_getid(vim.fn.winnr('#'))
  api.nvim_win_call(view.src, function()
    win = vim.fn.win_getid(vim.fn.winnr('j'))
  end)
  in_window(win, setlocal_of(view.saved))
  return win
end

local function server_of(view)
  local server = client.of(view.bufnr)
  if not server then
    message.warn('the server is gone; :edit in the file starts it again')
  end
  return server
end

local function open_step(view, win)
  local step, server = step_of_cursor(view), server_of(view)
  if not step or not server then
    return
  end
  if win then
    return place.go_to_step(server, step, win())
  end
  local src = view.src
  close(view)
  place.go_to_step(server, step, src)
end

local function open_diff(view)
  local step, server = step_of_cursor(view), server_of(view)
  if step and server then
    require('toolpath.navigate').diff(step, '', split_off(view))
  end
end

local function switched(view, bufnr)
  adopt(view, bufnr)
  align(view)
  if api.nvim_win_is_valid(view.win) then
    api.nvim_set_current_win(view.win)
  end
  provenance.once_known(bufnr, function(runs)
    if views[view.win] == view and view.bufnr == bufnr and is_there(view) then
      render(view, runs)
      align(view)
    end
  end)
end

local function reblame(view)
  local step, run = step_of_cursor(view)
  local server = step and server_of(view)
  if not server then
    return
  end
  local here = { view.bufnr, api.nvim_win_get_cursor(view.src) }
  client.execute(server, 'toolpath.fileBeforeStep', place.of_line(view.bufnr, line_of_cursor(view)), view.bufnr, function(moment)
    if views[view.win] ~= view then
      return
    end
    if not moment then
      return message.say('no step is known to have written this line')
    end
    virtual.open(server, moment.uri, {
      win = view.src,
      range = moment.range,
      words = ('%s before %s'):format(vim.fn.fnamemodify(api.nvim_buf_get_name(view.bufnr), ':t'), label.of_step(run)),
      before = function()
        unbind(view)
      end,
      after = function(bufnr)
        table.insert(view.past, here)
        switched(view, bufnr)
      end,
    })
  end)
end

local function back(view)
  local before = table.remove(view.past)
  if not before or not api.nvim_buf_is_valid(before[1]) then
    return message.say('this was blamed first')
  end
  unbind(view)
  api.nvim_win_call(view.src, function()
    vim.cmd('keepalt buffer ' .. before[1])
    pcall(api.nvim_win_set_cursor, view.src, before[2])
  end)
  switched(view, before[1])
end

-- Shows all that is known of the line in a floating window.
local function show_all(view)
  local run = (view.entries[line_of_cursor(view) + 1] or blank).run
  if not run then
    return
  end
  local lines = {}
  local function add(name, value)
    if label.text(value) then
      lines[#lines + 1] = ('%-7s %s'):format(name, label.one_line(value))
    end
  end
  add('state', run.state == run.grade and run.state or ('%s, %s'):format(run.state, run.grade))
  add('step', run.step)
  add('actor', run.actor)
  add('time', run.timestamp)
  add('intent', run.intent)
  add('path', run.path)
  add('in', label.text(run.document) and vim.fn.fnamemodify(vim.uri_to_fname(run.document), ':~:.'))
  if type(run.commit) == 'table' then
    add('commit', label.join(run.commit.id:sub(1, 12), label.day(run.commit.time), run.commit.summary))
  end
  float(lines)
end

local function map_keys(view)
  local function map(lhs, action)
    vim.keymap.set('n', lhs, function()
      action(view)
    end, { buffer = view.buf, nowait = true, silent = true })
  end
  map('<CR>', open_step)
  map('o', function()
    open_step(view, function()
      return split_off(view)
    end)
  end)
  map('d', open_diff)
  map('p', reblame)
  map('<BS>', back)
  map('K', show_all)
  map('q', close)
  map('g?', show_help)
end

-- The intent of the cursor's line, for which the window has no room.
local function say_intent(view)
  local run = (view.entries[line_of_cursor(view) + 1] or blank).run
  local text = run and label.text(run.intent)
  if text then
    api.nvim_echo({ { label.clip(label.one_line(text), math.max(vim.o.columns - 15, 10)) } }, false, {})
  elseif view.said then
    api.nvim_echo({ { '' } }, false, {})
  end
  view.said = text ~= nil
end

local looks = 'setlocal scrollbind cursorbind nowrap nofoldenable foldcolumn=0 signcolumn=no nonumber norelativenumber'
  .. ' nolist nospell cursorline winfixwidth colorcolumn='

local function make_window(src, width)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  local bar_above = vim.fn.exists('+winbar') == 1 and api.nvim_win_call(src, function()
    return vim.wo.winbar
  end) or ''
  vim.cmd('keepalt leftabove vsplit')
  local win = api.nvim_get_current_win()
  api.nvim_win_set_buf(win, buf)
  vim.cmd(looks)
  if vim.fn.exists('+statuscolumn') == 1 then
    vim.cmd('setlocal statuscolumn=')
  end
  -- A bar above one window moves its lines: then both have one.
  if vim.fn.exists('+winbar') == 1 then
    vim.cmd(bar_above ~= '' and [[setlocal winbar=%{b:toolpath_title}]] or 'setlocal winbar=')
  end
  vim.cmd([[setlocal statusline=%{b:toolpath_title}\ %=g?]])
  api.nvim_win_set_width(win, width)
  return win, buf
end

local function open(src, bufnr, runs)
  if not api.nvim_win_is_valid(src) or api.nvim_win_get_buf(src) ~= bufnr then
    return
  end
  colors.define()
  api.nvim_set_current_win(src)
  local entries, width = entries_for(runs, provenance.summary(bufnr), api.nvim_buf_line_count(bufnr))
  local win, buf = make_window(src, width)
  local view = { win = win, buf = buf, src = src, entries = { blank }, past = {}, width = width }
  views[win] = view
  adopt(view, bufnr)
  show_entries(view, entries)
  fill(view)
  align(view)
  vim.bo[buf].filetype = 'toolpath-blame'
  map_keys(view)
  api.nvim_create_autocmd('CursorMoved', {
    buffer = buf,
    callback = function()
      if views[win] == view then
        say_intent(view)
      end
    end,
  })
  watch()
  provenance.add_reader(reader)
end

-- Opens the blame window of the current window, or closes it if there is one.
function M.toggle()
  local src = api.nvim_get_current_win()
  for _, view in pairs(views) do
    if view.win == src or view.src == src then
      return close(view)
    end
  end
  local bufnr = api.nvim_get_current_buf()
  provenance.once_known(bufnr, function(runs)
    open(src, bufnr, runs)
  end)
end

return M
