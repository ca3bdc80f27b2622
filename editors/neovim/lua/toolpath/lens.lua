-- Code lenses: keeps them up to date on every Neovim, and shows the steps behind them.

local client = require('toolpath.client')
local label = require('toolpath.label')
local list = require('toolpath.list')
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

-- The client command toolpath.showSteps: arguments[1] is { uri, steps }, each step with step,
-- actor, timestamp, intent and the location of its id. Opens them as a quickfix list in the
-- server's order.
function M.show_steps(command, ctx)
  local argument = command.arguments[1]
  local server = vim.lsp.get_client_by_id(ctx.client_id)
  local file = vim.fn.fnamemodify(vim.uri_to_fname(argument.uri), ':t')
  list.show('Toolpath steps of ' .. file, list.items(argument.steps, server.offset_encoding, label.of_step))
end

-- Lists the steps that touched the current file, or those of the current document, the first one first.
function M.run_steps()
  client.ask_steps('no recorded step touches this file', function(server, answer, bufnr)
    local steps = {}
    for i, step in ipairs(answer.steps) do
      steps[#answer.steps + 1 - i] = step
    end
    local file = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':t')
    list.show('Toolpath steps of ' .. file, list.items(steps, server.offset_encoding, label.of_step))
  end)
end

return M
