-- The steps of a document as the server draws them in text, in a buffer of its own.

local client = require('toolpath.client')
local colors = require('toolpath.colors')
local message = require('toolpath.message')
local place = require('toolpath.place')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('toolpath.graph')

-- bufnr -> { document: URI; steps: line (0-based) -> step; win: where steps are opened }
local graphs = {}

local function draw(bufnr, graph)
  local lines = vim.split(graph.text, '\n')
  table.remove(lines)
  local bo = vim.bo[bufnr]
  bo.modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  bo.modifiable, bo.modified = false, false
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local encoding = client.of(bufnr).offset_encoding
  local steps = {}
  for _, step in ipairs(graph.steps) do
    local row = step.mark.line
    local line = lines[row + 1]
    local start = place.byte_of(line, step.mark.character, encoding)
    local stop = vim.fn.byteidx(line:sub(start + 1), 1)
    api.nvim_buf_set_extmark(bufnr, namespace, row, start, { end_col = start + stop, hl_group = colors.group(step.color) })
    steps[row] = step
  end
  for row, line in ipairs(lines) do
    if not steps[row - 1] and line:find('^path ') then
      api.nvim_buf_set_extmark(bufnr, namespace, row - 1, 0, { end_col = #line, hl_group = 'ToolpathTitle' })
    end
  end
  graphs[bufnr].steps = steps
end

local function under_cursor(bufnr)
  local step = graphs[bufnr].steps[api.nvim_win_get_cursor(0)[1] - 1]
  if not step then
    message.say('no step in this line')
    return nil
  end
  return { document = graphs[bufnr].document, path = step.path, step = step.step }
end

-- The window in which steps are opened: the one that the graph was asked for in, else a new one.
local function window_for(bufnr)
  local win = graphs[bufnr].win
  if api.nvim_win_is_valid(win) and win ~= api.nvim_get_current_win() then
    return win
  end
  for _, other in ipairs(api.nvim_tabpage_list_wins(0)) do
    if other ~= api.nvim_get_current_win() and api.nvim_win_get_config(other).relative == '' then
      return other
    end
  end
  local own = api.nvim_get_current_win()
  vim.cmd('aboveleft split')
  win = api.nvim_get_current_win()
  api.nvim_set_current_win(own)
  return win
end

local function request(server, document, from, on_graph)
  client.execute(server, 'toolpath.graph', { document = document, text = true }, from, function(graph)
    if not graph or type(graph.text) ~= 'string' or #graph.steps == 0 then
      return message.say('there are no steps to draw')
    end
    on_graph(graph)
  end)
end

local function redraw(bufnr)
  local server = client.of(bufnr)
  if not server then
    return message.warn('the server of this graph is gone')
  end
  request(server, graphs[bufnr].document, bufnr, function(graph)
    if api.nvim_buf_is_loaded(bufnr) then
      draw(bufnr, graph)
    end
  end)
end

local function map_keys(bufnr)
  local function map(lhs, action)
    vim.keymap.set('n', lhs, action, { buffer = bufnr, nowait = true, silent = true })
  end
  map('<CR>', function()
    local step, server = under_cursor(bufnr), client.of(bufnr)
    if step and server then
      place.go_to_step(server, step, window_for(bufnr))
    end
  end)
  map('d', function()
    local step = under_cursor(bufnr)
    if step then
      require('toolpath.navigate').diff(step, '', window_for(bufnr))
    end
  end)
  map('R', function()
    redraw(bufnr)
  end)
  map('q', '<Cmd>close<CR>')
end

local function make_buffer(server, document, win)
  local name = 'toolpath-graph:' .. vim.fn.fnamemodify(vim.uri_to_fname(document), ':~:.')
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(name, '\\[]*?{},') .. '$')
  if bufnr < 0 then
    bufnr = api.nvim_create_buf(false, true)
    api.nvim_buf_set_name(bufnr, name)
    vim.bo[bufnr].bufhidden = 'wipe'
    api.nvim_create_autocmd('BufWipeout', {
      buffer = bufnr,
      callback = function()
        graphs[bufnr] = nil
      end,
    })
    map_keys(bufnr)
  end
  graphs[bufnr] = { document = document, steps = {}, win = win }
  client.remember(bufnr, server)
  return bufnr
end

local function show(server, document, graph, mods)
  local win = api.nvim_get_current_win()
  local bufnr = make_buffer(server, document, win)
  local there = vim.fn.win_findbuf(bufnr)[1]
  if there then
    api.nvim_set_current_win(there)
  else
    vim.cmd((mods ~= '' and mods or 'belowright') .. ' split')
    api.nvim_win_set_buf(0, bufnr)
  end
  colors.define()
  draw(bufnr, graph)
  vim.bo[bufnr].filetype = 'toolpath-graph'
  vim.cmd('setlocal nowrap nolist nonumber norelativenumber nospell nofoldenable foldcolumn=0 signcolumn=no cursorline')
end

-- Puts the cursor on a step.
local function go_to(id)
  for bufnr, graph in pairs(graphs) do
    if bufnr == api.nvim_get_current_buf() then
      for row, step in pairs(graph.steps) do
        if step.step == id then
          api.nvim_win_set_cursor(0, { row + 1, 0 })
        end
      end
    end
  end
end

-- Draws the document of the current buffer; in a source file, that of the step that wrote the cursor's
-- line, or else that of the last step that touched the file.
function M.open(mods)
  client.ask_steps('no document speaks of this file', function(server, answer, bufnr)
    client.execute(server, 'toolpath.step', place.of_cursor(0, server), bufnr, function(location)
      local document, id = answer.steps[1].document, nil
      if location then
        document = location.uri
        for _, step in ipairs(answer.steps) do
          if vim.deep_equal(step.location, location) then
            id = step.step
          end
        end
      end
      request(server, document, bufnr, function(graph)
        show(server, document, graph, mods or '')
        if id then
          go_to(id)
        end
      end)
    end)
  end)
end

-- Draws the graphs in sight again, for a document may have changed.
function M.refresh()
  for bufnr in pairs(graphs) do
    if client.of(bufnr) and #vim.fn.win_findbuf(bufnr) > 0 then
      redraw(bufnr)
    end
  end
end

return M
