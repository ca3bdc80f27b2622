-- Code lenses: keeps them up to date on every Neovim, and shows the steps behind them.

local client = require('toolpath.client')
local options = require('toolpath.options')

local M = {}

-- Neovim 0.12 refreshes lenses itself; before that somebody has to ask.
local self_refreshing = vim.lsp.codelens.enable ~= nil

-- bufnr -> changedtick of the text that the shown lenses were asked for.
local asked = {}

-- The virtual text of the lenses of one line.
local function chunks_of(lenses)
  local chunks = {}
  for i, lens in ipairs(lenses) do
    if i > 1 then
      table.insert(chunks, { ' | ', 'LspCodeLensSeparator' })
    end
    table.insert(chunks, { lens.command.title, 'LspCodeLens' })
  end
  return chunks
end

-- Shows lenses as Neovim would. Its own display visits every line of the buffer, for seconds in a long
-- file, and leaves old lenses when there are none any more. vim.lsp.codelens.run() finds what is saved.
local function show(lenses, bufnr, client_id)
  local namespace = vim.lsp.codelens.__namespaces[client_id]
  vim.lsp.codelens.save(lenses, bufnr, client_id)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local by_line = {}
  for _, lens in ipairs(lenses) do
    local line = lens.range.start.line
    by_line[line] = by_line[line] or {}
    table.insert(by_line[line], lens)
  end
  for line, of_line in pairs(by_line) do
    if line < vim.api.nvim_buf_line_count(bufnr) then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, { virt_text = chunks_of(of_line), hl_mode = 'combine' })
    end
  end
end

local function ask(bufnr)
  local server = client.of(bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  if not server or asked[bufnr] == tick then
    return
  end
  asked[bufnr] = tick
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  client.request(server, 'textDocument/codeLens', params, bufnr, function(err, lenses)
    if not err and vim.api.nvim_buf_is_loaded(bufnr) then
      show(type(lenses) == 'table' and lenses or {}, bufnr, server.id)
    end
  end)
end

-- Shows the lenses of a buffer's present text.
function M.refresh(bufnr)
  if not options.current.code_lens then
    return
  end
  if self_refreshing then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
  else
    ask(bufnr)
  end
end

-- Asks again for the lenses of all visible buffers.
function M.refresh_all()
  asked = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(win)
    if not self_refreshing and options.current.code_lens then
      ask(bufnr)
    end
  end
end

function M.watch(group)
  if self_refreshing then
    return
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      M.refresh(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    callback = function(event)
      asked[event.buf] = nil
    end,
  })
end

local function text(value)
  return type(value) == 'string' and value or ''
end

local function title_of(step)
  local parts = { text(step.step), text(step.actor), text(step.timestamp):sub(1, 10), text(step.intent) }
  parts = vim.tbl_filter(function(part)
    return part ~= ''
  end, parts)
  return (table.concat(parts, '  '):gsub('%s*\n%s*', ' '))
end

local function before(a, b)
  local from, to = a.location.range.start, b.location.range.start
  if from.line ~= to.line then
    return from.line < to.line
  end
  return from.character < to.character
end

-- Quickfix entries of steps of one document. locations_to_items reads the document once and sorts
-- by position, so the steps are sorted the same way before the two lists are joined.
local function items_of(steps, encoding)
  table.sort(steps, before)
  local locations = vim.tbl_map(function(step)
    return step.location
  end, steps)
  local items = vim.lsp.util.locations_to_items(locations, encoding)
  for i, item in ipairs(items) do
    item.text = title_of(steps[i])
    item.order = steps[i].order
    item.user_data = nil
  end
  return items
end

local function by_document(steps)
  local documents = {}
  for order, step in ipairs(steps) do
    step.order = order
    local uri = step.location.uri
    documents[uri] = documents[uri] or {}
    table.insert(documents[uri], step)
  end
  return documents
end

-- The client command toolpath.showSteps: arguments[1] is { uri, steps }, each step with step,
-- actor, timestamp, intent and the location of its id. Opens them as a quickfix list in the
-- server's order.
function M.show_steps(command, ctx)
  local argument = command.arguments[1]
  local server = vim.lsp.get_client_by_id(ctx.client_id)
  local items = {}
  for _, steps in pairs(by_document(argument.steps)) do
    vim.list_extend(items, items_of(steps, server.offset_encoding))
  end
  table.sort(items, function(a, b)
    return a.order < b.order
  end)
  for _, item in ipairs(items) do
    item.order = nil
  end
  local file = vim.fn.fnamemodify(vim.uri_to_fname(argument.uri), ':t')
  vim.fn.setqflist({}, ' ', { title = 'Toolpath steps of ' .. file, items = items })
  vim.cmd('copen')
end

-- Opens the steps of the current file, as its lens does, from any line of it.
function M.run_steps()
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return vim.notify('toolpath: no server for this buffer (see :help toolpath-setup)')
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  client.request(server, 'textDocument/codeLens', params, bufnr, function(_, lenses)
    for _, lens in ipairs(type(lenses) == 'table' and lenses or {}) do
      if lens.command and lens.command.command == 'toolpath.showSteps' then
        return M.show_steps(lens.command, { client_id = server.id })
      end
    end
    vim.notify('toolpath: no recorded step touches this file')
  end)
end

return M
