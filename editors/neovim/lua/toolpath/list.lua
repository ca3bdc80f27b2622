-- Lists of places for the quickfix window.

local client = require('toolpath.client')
local label = require('toolpath.label')
local message = require('toolpath.message')

local api = vim.api

local M = {}

local function before(a, b)
  local from, to = a.location.range.start, b.location.range.start
  if from.line ~= to.line then
    return from.line < to.line
  end
  return from.character < to.character
end

-- Quickfix entries of places in one file. locations_to_items reads the file once and sorts by position,
-- so the entries are sorted the same way before the two lists are joined.
local function items_of(entries, encoding)
  table.sort(entries, before)
  local locations = vim.tbl_map(function(entry)
    return entry.location
  end, entries)
  local items = vim.lsp.util.locations_to_items(locations, encoding)
  for i, item in ipairs(items) do
    item.text, item.user_data = entries[i].text, nil
    entries[i].item = item
  end
end

-- Quickfix entries of steps, or of whatever else has a location, in their order. format(step) is the
-- text of one.
function M.items(steps, encoding, format)
  local entries, by_file = {}, {}
  for i, step in ipairs(steps) do
    local entry = { location = step.location, text = format(step) }
    local uri = step.location.uri
    entries[i] = entry
    by_file[uri] = by_file[uri] or {}
    table.insert(by_file[uri], entry)
  end
  for _, of_file in pairs(by_file) do
    items_of(of_file, encoding)
  end
  return vim.tbl_map(function(entry)
    return entry.item
  end, entries)
end

-- Makes items the quickfix list, and opens its window.
function M.show(title, items)
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd('botright copen')
end

-- A run of lines that nobody has looked at, in one line.
local function line_of(run)
  local lines = run.endLine - run.startLine
  local size = lines == 1 and '1 line' or lines .. ' lines'
  return label.one_line(label.join(label.name(run.actor), size, label.day(run.timestamp), run.intent, run.step))
end

local function runs_of(files)
  local all = {}
  for _, file in ipairs(files) do
    for _, run in ipairs(file.runs) do
      local location = { uri = file.uri, range = run.range }
      all[#all + 1] = vim.tbl_extend('force', run, { location = location })
    end
  end
  return all
end

-- The entry of a run ends with its last line, not at the start of the next.
local function whole_lines(items, runs)
  for i, item in ipairs(items) do
    item.end_lnum, item.end_col = runs[i].endLine, nil
  end
  return items
end

-- Lists what agents wrote and no human has touched since in the quickfix list: in the workspace of the
-- current buffer, or in all of them from a buffer that has none; with only_file, in the current file.
function M.unreviewed(only_file)
  local bufnr = api.nvim_get_current_buf()
  local own = client.of(bufnr)
  local servers = own and { own } or client.all()
  if #servers == 0 or only_file and not own then
    return client.say_none(bufnr)
  end
  local params = vim.empty_dict()
  if only_file then
    params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  end
  local items, lines, waiting, truncated = {}, 0, #servers, false
  local function show()
    if #items == 0 then
      return message.say('nothing is left to review: no agent has written lines that no human touched since')
    end
    M.show(('Toolpath: %d unreviewed %s'):format(lines, lines == 1 and 'line' or 'lines'), items)
    if truncated then
      message.warn('there are too many files; some were not looked at')
    end
  end
  for _, server in ipairs(servers) do
    client.ask(server, 'toolpath/unreviewed', params, bufnr, function(answer)
      if answer then
        local runs = runs_of(answer.files)
        vim.list_extend(items, whole_lines(M.items(runs, server.offset_encoding, line_of), runs))
        lines, truncated = lines + answer.lines, truncated or answer.truncated
      end
      waiting = waiting - 1
      if waiting == 0 then
        show()
      end
    end)
  end
end

return M
